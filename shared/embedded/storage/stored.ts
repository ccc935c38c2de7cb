// One stored version of one object. The JSON is made once for all lists and watches.
import { apiVersionOf, type KubeObject } from '../../core/objects/object.ts'
import type { Kind } from '../kinds/kind.ts'

export class Stored {
  readonly object: KubeObject
  readonly revision: number
  #kind: Kind | undefined
  #shown: KubeObject | undefined
  #json: string | undefined

  constructor(object: KubeObject, revision: number) {
    this.object = object
    this.revision = revision
  }

  shown(kind: Kind): KubeObject {
    this.#turnTo(kind)
    this.#shown ??= kind.show ? kind.show(this.object) : this.object
    return this.#shown
  }

  json(kind: Kind): string {
    this.#turnTo(kind)
    this.#json ??= JSON.stringify(this.shown(kind))
    return this.#json
  }

  itemJson(kind: Kind): string {
    const json = this.json(kind)
    const head = typeHead(kind)
    return !kind.custom && json.startsWith(head) ? `{${json.slice(head.length)}` : json
  }

  #turnTo(kind: Kind): void {
    if (this.#kind === kind) return
    this.#kind = kind
    this.#shown = undefined
    this.#json = undefined
  }
}

const typeHead = (kind: Kind): string => `{"kind":"${kind.kind}","apiVersion":"${apiVersionOf(kind)}",`
