// The mock and Vite's server together; both end with this process.
import { spawn } from 'node:child_process'

const children = [
  spawn(process.execPath, ['mock/server.mjs', '--port', '5180'], { stdio: 'inherit' }),
  spawn(process.execPath, ['node_modules/vite/bin/vite.js'], { stdio: 'inherit' }),
]
const end = () => children.forEach((child) => child.kill())
process.on('SIGINT', end)
process.on('SIGTERM', end)
for (const child of children) child.on('exit', end)
