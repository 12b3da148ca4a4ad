"""The bus: the only room (besides `app.py` files) that speaks to NATS JetStream, through FastStream and nats-py.

`bus` tells facts and fetches them, `streams` says how they are kept, `readers` read them in order, `runner` drives folds
and derivers over them, `kv_store` and `watch` keep what planners look at, `outbox` holds facts while the broker is away.
"""
