// Requests to /functions and their answers: headers and JSON schemas. Callers read a description when their body does not fit.
import type { Fitting } from './fit.ts'

const name = {
  type: 'string',
  minLength: 1,
  maxLength: 253,
  pattern: '^[A-Za-z0-9][-A-Za-z0-9._:]*$',
  description: 'the name of an object, 1 to 253 letters, digits and -._:',
}

const namespace = {
  type: 'string',
  maxLength: 63,
  pattern: '^([a-z0-9][-a-z0-9]*)?$',
  description: 'a namespace, or "" for cluster-scoped objects',
}

export const keySchema: Fitting = {
  type: 'object',
  description: 'the key of an object: namespace and name',
  required: ['namespace', 'name'],
  additionalProperties: false,
  properties: { namespace, name },
}

const object = {
  type: 'object',
  description: 'a Kubernetes object',
  required: ['apiVersion', 'kind', 'metadata'],
  properties: {
    apiVersion: { type: 'string', minLength: 1, description: 'group/version, or v1' },
    kind: { type: 'string', minLength: 1, description: 'a kind' },
    metadata: {
      type: 'object',
      description: 'metadata with a name',
      required: ['name'],
      properties: {
        name: { type: 'string', minLength: 1, description: 'the name of the object' },
        namespace: { type: 'string', description: 'its namespace' },
      },
    },
  },
}

/** Requires only the object's identity, because the function itself checks all other fields. */
export const keysQuestionSchema: Fitting = {
  type: 'object',
  description: 'an object and the type of its event',
  required: ['object', 'type'],
  additionalProperties: false,
  properties: {
    type: { enum: ['ADDED', 'MODIFIED', 'DELETED'] },
    object,
  },
}

export const planQuestionSchema: Fitting = {
  type: 'object',
  description: 'namespace and name of an object, or the object itself in the field object',
  additionalProperties: false,
  properties: { namespace, name, object },
  oneOf: [
    { required: ['namespace', 'name'], properties: { namespace, name } },
    { required: ['object'], properties: { object } },
  ],
}

export const outcomeSchema = {
  type: 'object',
  required: ['outcome'],
  properties: {
    outcome: { enum: ['settled', 'waiting', 'stalled', 'failed'] },
    requeueAfterSeconds: { type: 'number', minimum: 0 },
    reason: { type: 'string' },
    wrote: {
      type: 'array',
      items: { type: 'string' },
      description: 'states "uid resourceVersion" of objects that this call wrote; their events need no further call',
    },
  },
}

export const keysAnswerSchema = {
  type: 'object',
  required: ['keys'],
  properties: { keys: { type: 'array', items: keySchema } },
}

/** shared/runtime/planned.ts describes the fields. */
export const planAnswerSchema = {
  type: 'object',
  required: ['function', 'object', 'is', 'steps', 'later', 'status', 'events', 'next'],
  additionalProperties: true,
}

/** Marks a quiet call: the previous call settled, no event arrived since, and the call is only periodic. */
export const quietHeader = 'espalier-quiet'

/** The number of other keys of the function that are ready and wait in the relay. The console shows this number. */
export const waitingHeader = 'espalier-waiting'
