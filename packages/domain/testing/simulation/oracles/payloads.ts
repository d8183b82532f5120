import type { Oracle, Run } from "../Oracle.js"
import { recordOf } from "./support/Answers.js"
import { isFiring } from "./support/deliveries/Firings.js"
import { ground, type MadeRule } from "./support/Ground.js"
import { happened, type Post, textOf, timeOf } from "./support/trace/Happened.js"
import { phonesOf } from "./support/phones/Phones.js"
import { COORDINATE } from "../Specification.js"

/** Oracles of the values in bodies of webhooks (Spec §6.1, §6.2). Oracle H2 judges which fields a body has. */

const wrong = (run: Run, post: Post): string | undefined => {
  const rule = ground(run).rules.get(textOf(post.body["rule_id"]) ?? "")
  if (rule === undefined || !isFiring(post.body["type"])) return undefined
  const { body } = post
  if (body["type"] !== `${rule.kind}.${rule.fields.type}`)
    return `it is a ${textOf(body["type"])} of a rule for another`
  if (body["grant_id"] !== rule.connectionId) return "it names another connection than its rule's"
  const target = recordOf(body["target"]) ?? {}
  if (target["place_id"] !== rule.placeId) return `its target is ${String(target["place_id"])} and not ${rule.placeId}`
  const labels = labelsOf(run, rule, post)
  return labels.includes(textOf(target["label"]) ?? "")
    ? undefined
    : `its label is “${textOf(target["label"])}” and may be ${labels.map((label) => `“${label}”`).join(" or ")}`
}

/**
 * The labels that the body of a firing may contain. A zone has the label that its app chose. A place may have any label
 * that it had between the upload of the fix and the POST.
 */
const labelsOf = (run: Run, rule: MadeRule, post: Post): ReadonlyArray<string> => {
  const { request } = rule.made.args
  if (request.endpoint === "POST /v1/rules/zone") return [request.label]
  const place = ground(run).places.get(rule.placeId ?? "")
  const uploads = phonesOf(run, rule.pair.userId)
    .at(timeOf(post.body["occurred_at"]) ?? Number.NaN)
    .flatMap((fix) => fix.uploads)
  const begin = Math.min(post.i, ...uploads.map((upload) => upload.begin))
  return (place?.labels.possible(begin, post.i) ?? []).map(({ label }) => label)
}

/** Whether the text is a label that the body may contain: a label of the place or zone that the firing is about. */
const isChosen = (run: Run, post: Post, text: string): boolean => {
  const rule = ground(run).rules.get(textOf(post.body["rule_id"]) ?? "")
  return rule !== undefined && labelsOf(run, rule, post).includes(text)
}

const h8: Oracle = {
  name: "H8",
  rule: "A firing names its rule's connection, type and target: the place's id and label, or null and the zone's label (Spec §6.2)",
  check: (run) =>
    happened(run).received.flatMap((post) => {
      const detail = wrong(run, post)
      return detail === undefined ? [] : [{ at: post.i, detail: `${textOf(post.body["event_id"])}: ${detail}` }]
    })
}

const h9: Oracle = {
  name: "H9",
  survivesRestore: true,
  rule: "No text of a body has a coordinate in it, a label included, unless a person or an app chose this label (Spec §6.2)",
  check: (run) =>
    happened(run).received.flatMap((post) => {
      const { body, i } = post
      const texts = [...Object.values(body), ...Object.values(recordOf(body["target"]) ?? {})]
      const hasCoordinate = texts.some(
        (text) =>
          typeof text === "string" && timeOf(text) === undefined && COORDINATE.test(text) && !isChosen(run, post, text)
      )
      return hasCoordinate ? [{ at: i, detail: `${textOf(body["type"])} has a coordinate in a text` }] : []
    })
}

export const payloads: ReadonlyArray<Oracle> = [h8, h9]
