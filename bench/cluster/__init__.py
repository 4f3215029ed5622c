"""What a cluster costs, and what the papers promised of one."""
