"""The dimensions of a band, one module each. None reads another's field or another's result."""
