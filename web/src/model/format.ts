// Numbers and times as people read them.

export function duration(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return ''
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  const whole = Math.round(seconds)
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  const minutes = Math.round(seconds / 60)
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

// For what is not known better: no seconds where there are minutes.
export function roughly(seconds: number): string {
  if (seconds < 10) return `${Math.max(1, Math.round(seconds))} s`
  if (seconds < 90) return `${5 * Math.round(seconds / 5)} s`
  return duration(60 * Math.round(seconds / 60)).replace(/ 0 s$/, '')
}

// For the marks of a scale, which are round.
export function roundDuration(seconds: number): string {
  return seconds === 0 ? '0 s' : duration(seconds).replace(/\.0(?= s$)| 0 (s|min)$/, '')
}

const kUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

export function bytes(size: number): string {
  let unit = 0
  let value = size
  while (value >= 1024 && unit < kUnits.length - 1) (value /= 1024), ++unit
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${kUnits[unit]}`
}

export function count(value: bigint | number, language: string): string {
  return new Intl.NumberFormat(language).format(value)
}

export function moment(text: string, language: string): string {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) return text
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(at)
}

export function clock(text: string): string {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) return text
  return at.toTimeString().slice(0, 8)
}
