// In some schemas, the value of one field decides which other fields are present, or are null. This module splits such
// a schema into one schema for each form (decision wire-3).
import { Rule } from "@place-access/domain/rules"
import { type Json, list, object, refName, refTo } from "./Json.js"

/**
 * One form of a schema: the values that `Split.property` has in this form, and the fields in which this form differs
 * from the other forms.
 */
interface Variant {
  readonly name: string
  readonly values: ReadonlyArray<string | boolean>
  /** Fields that are never null in this form of the schema. */
  readonly present?: ReadonlyArray<string>
  /** Fields that are always null in this form of the schema. */
  readonly absent?: ReadonlyArray<string>
  /** Fields that are required in this form of the schema, and optional in the other forms. */
  readonly required?: ReadonlyArray<string>
  /** Fields that this form of the schema does not have. */
  readonly without?: ReadonlyArray<string>
}

interface Split {
  readonly schema: string
  readonly property: string
  readonly variants: ReadonlyArray<Variant>
}

const CROSSING_TYPES = Rule.RuleType.literals.filter((type) => !Rule.PROPERTIES[type].hasDwellTime)
const DWELL_TYPES = Rule.RuleType.literals.filter((type) => Rule.PROPERTIES[type].hasDwellTime)

const dwell = (schema: string, kind: string): Split => ({
  schema,
  property: "type",
  variants: [
    { name: `${kind}CrossingRule`, values: CROSSING_TYPES },
    { name: `${kind}DwellRule`, values: DWELL_TYPES, required: ["dwell_minutes"] }
  ]
})

const answered = (schema: string, kind: string): Split => ({
  schema,
  property: "type",
  variants: [
    { name: `${kind}CrossingRule`, values: CROSSING_TYPES, absent: ["dwell_minutes"] },
    { name: `${kind}DwellRule`, values: DWELL_TYPES, present: ["dwell_minutes"] }
  ]
})

/**
 * The forms of an answer to the question whether the user is at a place or in an area. Only the answer `unknown` is
 * based on no reading, so its `asOf` is null.
 */
const presence = (schema: string): Split => ({
  schema,
  property: "state",
  variants: [
    { name: `${schema}Known`, values: ["yes", "no"], present: ["asOf"], without: ["reason"] },
    { name: `${schema}Unknown`, values: ["unknown"], absent: ["asOf"] }
  ]
})

export const SPLITS: ReadonlyArray<Split> = [
  {
    schema: "CurrentPlace",
    property: "state",
    variants: [
      { name: "CurrentPlaceAtPlace", values: ["at_place"], present: ["place", "asOf"], without: ["reason"] },
      {
        name: "CurrentPlaceElsewhere",
        values: ["elsewhere"],
        present: ["asOf"],
        absent: ["place"],
        without: ["reason"]
      },
      { name: "CurrentPlaceUnknown", values: ["unknown"], absent: ["place", "asOf"] }
    ]
  },
  presence("PlacePresence"),
  presence("ZonePresence"),
  {
    schema: "LookupResult",
    property: "matched",
    variants: [
      { name: "LookupAtPlace", values: [true], present: ["place", "asOf", "deltaSeconds"] },
      { name: "LookupElsewhere", values: [false], absent: ["place"] }
    ]
  },
  {
    schema: "LocationLookup",
    property: "matched",
    variants: [
      { name: "LocationFound", values: [true], present: ["fix", "asOf", "deltaSeconds"] },
      { name: "LocationNotFound", values: [false], absent: ["fix", "asOf", "deltaSeconds"] }
    ]
  },
  dwell("NewPlaceRule", "NewPlace"),
  dwell("NewZoneRule", "NewZone"),
  answered("Rule", "Place"),
  answered("ZoneRule", "Zone")
]

/**
 * Replaces each schema of `SPLITS` by a `oneOf` of its forms, in place. If the deciding field is a text, it becomes the
 * discriminator. So a client's type checker knows, for instance, that `place` is not null when `state` is `at_place`.
 */
export const split = (schemas: Json): void => {
  for (const { property, schema: name, variants } of SPLITS) {
    const whole = object(schemas[name])
    const mapping: Record<string, string> = {}
    for (const variant of variants) {
      schemas[variant.name] = formOf(whole, property, variant)
      for (const value of variant.values) mapping[String(value)] = String(refTo(variant.name)["$ref"])
    }
    schemas[name] = {
      oneOf: variants.map((variant) => refTo(variant.name)),
      // A discriminator must be a text. Where the deciding field is a boolean, each form lists the values of the field,
      // which is enough for generators.
      ...(variants.some(({ values }) => values.includes(true))
        ? {}
        : { discriminator: { propertyName: property, mapping } }),
      ...(whole["description"] === undefined ? {} : { description: whole["description"] })
    }
  }
}

/**
 * Adds a discriminator to a union when all its forms have a property whose value is different in each form. In such a
 * union `anyOf` becomes `oneOf`. A union without such a property stays as it is.
 */
export const discriminated = (schema: Json, schemas: Json): Json => {
  const { anyOf, ...beside } = schema
  const choices = flat(anyOf)
  const forms = choices.map((one) => ({ ref: one, form: object(schemas[refName(one) ?? ""]) }))
  const property = Object.keys(object(forms[0]?.form["properties"])).find((key) =>
    forms.every(({ form }) => literalOf(form, key) !== undefined && list(form["required"]).includes(key))
  )
  if (forms.length < 2 || property === undefined) return schema
  const mapping = Object.fromEntries(forms.map(({ form, ref }) => [literalOf(form, property) ?? "", ref["$ref"]]))
  return Object.keys(mapping).length < forms.length
    ? schema
    : { ...beside, oneOf: choices, discriminator: { propertyName: property, mapping } }
}

/**
 * The choices of a union and of the unions inside it, as one list. The generator writes a union of five schemas as
 * nested unions of two schemas each.
 */
const flat = (choices: unknown): ReadonlyArray<Json> =>
  list(choices)
    .map(object)
    .flatMap((one) => (Array.isArray(one["anyOf"]) ? flat(one["anyOf"]) : [one]))

/** The only value that a property of the schema can have; undefined when the property can have several values. */
const literalOf = (schema: Json, property: string): string | undefined => {
  const values = list(object(object(schema["properties"])[property])["enum"])
  return values.length === 1 && typeof values[0] === "string" ? values[0] : undefined
}

const formOf = (whole: Json, property: string, variant: Variant): Json => {
  const { absent = [], present = [], required = [], values, without = [] } = variant
  const properties = Object.fromEntries(
    Object.entries(object(whole["properties"]))
      .filter(([name]) => !without.includes(name))
      .map(([name, schema]) => [
        name,
        name === property
          ? { ...object(schema), enum: values }
          : present.includes(name) || required.includes(name)
            ? notNull(object(schema))
            : absent.includes(name)
              ? onlyNull(object(schema))
              : schema
      ])
  )
  return {
    ...whole,
    required: [...list(whole["required"]).filter((name) => !without.includes(String(name))), ...required],
    properties
  }
}

/** The schema, without null as one of its choices. */
const notNull = ({ anyOf, type, ...beside }: Json): Json => {
  if (Array.isArray(anyOf)) {
    const rest = anyOf.map(object).filter((one) => one["type"] !== "null")
    return rest.length === 1 ? { ...rest[0], ...beside } : { anyOf: rest, ...beside }
  }
  const kept = Array.isArray(type) ? type.filter((one) => one !== "null") : [type]
  return type === undefined ? beside : { type: kept.length === 1 ? kept[0] : kept, ...beside }
}

const onlyNull = ({ description }: Json): Json => ({
  type: "null",
  ...(description === undefined ? {} : { description })
})
