"""What computes: the registry says which backend runs an operation on a device, and why."""
