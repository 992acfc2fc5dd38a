"""The Python client: every verb of Waypost as a typed method, over the local socket or HTTP(S).

Users import it from `waypost.client`; nothing is imported here, so that the generator runs without what it writes.

    waypost, waypost_async      the two clients, and how they are told where the server is
    verbs/                      the methods, written by `generate` from the catalogue of operations
    exchange, exchange_async    one request and its repeats; what they decide stands in asked, answers, waits and retries
    places, connecting          where the server is, and how the HTTP library is set up for it
    listing                     lists across pages
    receiving, receiving_async  an attached receiver of wakes
    following, following_async  the change feed, whose place is kept by progress
"""
