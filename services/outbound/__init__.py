"""The only door to the network: who may be called, over which connection, with which credentials, for how long, how much."""
