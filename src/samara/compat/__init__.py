"""Samara's models behind the interfaces of other libraries; each is imported by name, and only then."""
