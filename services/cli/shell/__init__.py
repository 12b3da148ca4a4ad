"""What every command shares: the way in, untrusted text, the terminal, options, inputs, failures. Judges nothing."""
