"""Decides which requests are served: `hosts` checks the name in `Host`, `headers` sets security headers, and
`guard` checks requests to Tessera's own routes and gives visitors fair turns. Begin with `guard`.
"""
