// Fails when the built page is larger than what it may cost: 500 KiB, gzip, all files together.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'

const limit = 500 * 1024
const dist = new URL('../dist', import.meta.url).pathname

function* files(folder) {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) yield* files(path)
    else yield path
  }
}

let total = 0
for (const file of files(dist)) {
  const size = gzipSync(readFileSync(file), { level: 9 }).length
  total += size
  console.log(`${(size / 1024).toFixed(1).padStart(8)} KiB  ${relative(dist, file)}`)
}
console.log(`${(total / 1024).toFixed(1).padStart(8)} KiB  of ${limit / 1024}`)
if (total > limit) process.exit(1)
