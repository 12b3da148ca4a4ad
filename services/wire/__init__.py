"""What A2A calls look like on the wire: requests to build, answers and errors to read. Pure: sends nothing."""
