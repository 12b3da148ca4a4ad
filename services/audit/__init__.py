"""What an auditor asks of the log: who brought a value, why a decision fell, what differs. Pure: facts in, answers out.

Never reads a clock, a broker or a file; who asks hands over the facts of one agent in stream order.
"""
