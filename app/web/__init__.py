"""HTML at `/…`: thin routes, view models and formatting over the market. `routes.make_router(market)` is the way in."""
