import type { Simulation } from "@place-access/domain/testing"
import type { Effect } from "effect"
import type { HttpAnswer, OutsideClient, RefusedRequest } from "../Client.js"

/**
 * What a handler needs: the client of the service, and the registry, which has what people and apps know, such as
 * secrets.
 */
export interface Outside {
  readonly client: OutsideClient
  readonly registry: Simulation.Registry
}

/** Sends the requests of an operation, and makes the operation's value from the answers. */
type Handler<N extends Simulation.Name> = (
  args: Simulation.Operation<N>["args"],
  outside: Outside
) => Effect.Effect<Simulation.Operation<N>["value"], RefusedRequest, Simulation.Ports>

export type Handlers<N extends Simulation.Name> = { readonly [K in N]: Handler<K> }

/** A field of an answer that the contract promises as a text. */
export const text = ({ body }: HttpAnswer, name: string): string => {
  const value = body[name]
  if (typeof value !== "string") throw new TypeError(`The answer has no text ${name}`)
  return value
}

/** A field of an answer that the contract promises as a number. */
export const number = ({ body }: HttpAnswer, name: string): number => {
  const value = body[name]
  if (typeof value !== "number") throw new TypeError(`The answer has no number ${name}`)
  return value
}

/** A field of an answer that the contract promises as a number or null. */
export const numberOrNull = (answer: HttpAnswer, name: string): number | null =>
  answer.body[name] === null ? null : number(answer, name)

/** The entries of a list in an answer. */
export const list = ({ body }: HttpAnswer, name: string): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const value = body[name]
  if (!Array.isArray(value)) throw new TypeError(`The answer has no list ${name}`)
  return value as ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** The account that owns an app. */
export const ownerOf = ({ registry }: Outside, appId: string): { readonly person: string } => ({
  person: registry.apps.get(appId)?.owner.id ?? "nobody"
})
