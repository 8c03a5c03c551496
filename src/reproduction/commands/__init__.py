"""What the reproduction adds to the commands of `dpsampling`."""
