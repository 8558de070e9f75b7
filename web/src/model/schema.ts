// Forms follow from the JSON Schema the server gives out: kinds, defaults, limits, descriptions.
import type { Json, JsonObject } from '../api/types'
import { getAt, isObject, type Path } from './spec'

export interface Schema {
  kind: 'text' | 'choice' | 'integer' | 'number' | 'boolean' | 'texts' | 'choices' | 'map' | 'object' | 'objects' | 'secret' | 'other'
  description: string
  default?: Json
  choices: string[]
  pattern?: string
  minimum?: number
  maximum?: number
  properties: [string, JsonObject][]
}

export function schemaAt(root: JsonObject, path: Path): JsonObject | undefined {
  let at: JsonObject | undefined = root
  for (const key of path) {
    const next: Json | undefined = typeof key === 'number' ? at?.items : getAt(at, ['properties', key])
    at = isObject(next) ? next : undefined
  }
  return at
}

export function describe(rule: JsonObject): Schema {
  const properties = isObject(rule.properties) ? Object.entries(rule.properties).filter((entry): entry is [string, JsonObject] => isObject(entry[1]) && !entry[1].not) : []
  return {
    kind: kindOf(rule),
    description: typeof rule.description === 'string' ? rule.description : '',
    default: rule.default,
    choices: choicesOf(rule),
    pattern: typeof rule.pattern === 'string' ? rule.pattern : undefined,
    minimum: typeof rule.minimum === 'number' ? rule.minimum : undefined,
    maximum: typeof rule.maximum === 'number' ? rule.maximum : undefined,
    properties,
  }
}

function choicesOf(rule: JsonObject): string[] {
  const list = Array.isArray(rule.enum) ? rule.enum : isObject(rule.items) && Array.isArray(rule.items.enum) ? rule.items.enum : []
  return list.map(String)
}

function kindOf(rule: JsonObject): Schema['kind'] {
  switch (rule.type) {
    case 'string':
      return Array.isArray(rule.enum) ? 'choice' : 'text'
    case 'integer':
      return 'integer'
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'array':
      return listKind(rule)
    case 'object':
      if (rule.maxProperties === 1) return 'secret'
      if (isObject(rule.properties)) return 'object'
      return isObject(rule.additionalProperties) && rule.additionalProperties.type === 'string' ? 'map' : 'other'
    default:
      return 'other'
  }
}

function listKind(rule: JsonObject): Schema['kind'] {
  if (!isObject(rule.items)) return 'other'
  if (rule.items.type === 'string') return Array.isArray(rule.items.enum) ? 'choices' : 'texts'
  return rule.items.type === 'object' ? 'objects' : 'other'
}

export function mapText(value: Json | undefined): string {
  return isObject(value) ? Object.entries(value).map(([key, each]) => `${key}=${String(each)}`).join('\n') : ''
}

export function parseMap(text: string): JsonObject | undefined {
  const entries = text.split('\n').map((line) => line.trim()).filter(Boolean).map((line): [string, string] => {
    const at = line.indexOf('=')
    return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
  })
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

export function parseTexts(text: string): string[] | undefined {
  const items = text.split(/[\n,]+/).map((item) => item.trim()).filter(Boolean)
  return items.length > 0 ? items : undefined
}
