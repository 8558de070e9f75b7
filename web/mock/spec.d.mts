export function planOf(spec: unknown, done?: Set<string>): { steps: { id: string; change: string }[] }
