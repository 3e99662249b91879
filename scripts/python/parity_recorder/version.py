"""The version of this package, which is that of parity."""
__version__ = "0.1.0"
