"""From bytes to profile. Pure: no network, no clock; untrusted bytes come in as data, verified types go out."""
