"""What a cluster costs: overhead, bytes, and how far it would scale."""
