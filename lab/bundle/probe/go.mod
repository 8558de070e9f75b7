module slipway.dev/lab/probe

go 1.26
