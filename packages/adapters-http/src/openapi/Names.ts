// This module names the document's parts, for people who generate clients from the document (decision wire-3).
import { Account } from "@place-access/domain/accounts"
import { App } from "@place-access/domain/apps"
import { Connection } from "@place-access/domain/connection"
import { Delivery } from "@place-access/domain/deliveries"
import { Device } from "@place-access/domain/devices"
import { Event } from "@place-access/domain/events"
import { Place } from "@place-access/domain/places"
import { Rule, RuleLife } from "@place-access/domain/rules"
import { Scope } from "@place-access/domain/shared"
import { isObject, type Json, list, map, object, refName, refTo, text } from "./Json.js"

/** Makes a name that every programming language allows: `answers.currentPlace` becomes `answersCurrentPlace`. */
export const operationId = (name: string): string =>
  name.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase())

/** Enums that several schemas have, by the name that a generated client gives them. */
const ENUMS: Readonly<Record<string, ReadonlyArray<string>>> = {
  AppStatus: App.AppStatus.literals,
  CrossingType: Rule.RuleType.literals.filter((type) => !Rule.PROPERTIES[type].hasDwellTime),
  DeliveryState: Delivery.DeliveryState.literals,
  DeviceFormat: Device.PhoneFormat.literals,
  EndReason: Connection.EndReason.literals,
  EventName: Event.SUBSCRIBABLE,
  EventType: Event.EventType.literals,
  LoggedEventType: [...Event.EventType.literals, "rule.fired"],
  FailReason: Delivery.FailReason.literals,
  PlaceKind: Place.PlaceKind.literals,
  Role: Account.Role.literals,
  RuleEventType: Event.RuleFired.fields.type.literals,
  RuleState: RuleLife.RuleState.literals,
  RuleType: Rule.RuleType.literals,
  Scope: Scope.all,
  SensitiveScope: Scope.sensitive
}

const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/**
 * Gives names to schemas that the contract leaves without a name: enums that several schemas have, bodies of lists
 * (`PlaceList`), and other bodies, which are named after their operation (`AnswersPresenceAnswer`). Puts required
 * fields first. Changes `document` in place.
 */
export const nameParts = (document: Json): void => {
  const components = object(document["components"])
  const schemas = object(components["schemas"])
  const enums = new Map(Object.entries(ENUMS).map(([name, values]) => [key(values), name]))
  const named = (one: Json): Json => {
    const name = one["type"] === "string" ? enums.get(key(list(one["enum"]))) : undefined
    if (name === undefined) return requiredFirst(one)
    schemas[name] = { type: "string", enum: ENUMS[name] }
    const { enum: _, type: __, ...beside } = one
    return { ...refTo(name), ...beside }
  }
  for (const [name, schema] of Object.entries(schemas)) {
    if (!Object.hasOwn(ENUMS, name)) schemas[name] = map(schema, named)
  }
  for (const operation of operationsOf(document)) {
    operation["operationId"] = operationId(text(operation["operationId"]))
    for (const holder of ["parameters", "requestBody", "responses"]) {
      if (operation[holder] !== undefined) operation[holder] = map(operation[holder], named)
    }
    nameBodies(operation, schemas)
  }
  components["schemas"] = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
}

const key = (values: ReadonlyArray<unknown>): string => JSON.stringify([...values].sort())

const operationsOf = (document: Json): ReadonlyArray<Json> =>
  ["paths", "webhooks"].flatMap((part) =>
    Object.values(object(document[part])).flatMap((methods) => Object.values(object(methods)).map(object))
  )

/** Puts required fields before optional fields, because readers and generators show fields in this order. */
const requiredFirst = (schema: Json): Json => {
  const { properties } = schema
  if (!isObject(properties)) return schema
  const required = new Set(list(schema["required"]))
  const entries = Object.entries(properties)
  const ordered = [
    ...entries.filter(([name]) => required.has(name)),
    ...entries.filter(([name]) => !required.has(name))
  ]
  return { ...schema, properties: Object.fromEntries(ordered) }
}

/** Moves the unnamed schemas of an operation's bodies to the named schemas, and puts references in their place. */
const nameBodies = (operation: Json, schemas: Json): void => {
  const id = pascal(text(operation["operationId"]))
  const move = (holder: Json, fallback: string): void => {
    const media = object(object(holder["content"])["application/json"])
    const schema = media["schema"]
    if (!isObject(schema) || schema["type"] !== "object") return
    const name = free(listName(schema) ?? fallback, schema, schemas)
    schemas[name] = schema
    media["schema"] = refTo(name)
  }
  move(object(operation["requestBody"]), `${id}Request`)
  for (const [status, response] of Object.entries(object(operation["responses"]))) {
    if (Number(status) < 400) move(object(response), `${id}Answer`)
  }
}

/**
 * The name for the body of a list, such as `PlaceList` for a body with a list of `Place` and a cursor; undefined for
 * other bodies.
 */
const listName = (schema: Json): string | undefined => {
  const properties = object(schema["properties"])
  if (!("nextCursor" in properties)) return undefined
  const items = Object.values(properties).flatMap((one) => refName(object(object(one)["items"])) ?? [])
  return items.length === 1 ? `${items[0]}List` : undefined
}

/**
 * Returns `name`; when a schema with another content already has this name, returns `name` with the next free number.
 */
const free = (name: string, schema: Json, schemas: Json, number = 1): string => {
  const tried = number === 1 ? name : `${name}${number}`
  return schemas[tried] === undefined || JSON.stringify(schemas[tried]) === JSON.stringify(schema)
    ? tried
    : free(name, schema, schemas, number + 1)
}
