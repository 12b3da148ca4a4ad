"""What each view shows, as plain values made from rows and facts: no request, no clock, no template."""
