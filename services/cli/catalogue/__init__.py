"""What can be looked up: exit codes, error codes, published output shapes, JSON Schemas, AsyncAPI. Pure."""
