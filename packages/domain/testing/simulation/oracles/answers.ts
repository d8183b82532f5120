import type { Oracle } from "../Oracle.js"
import { answeredTo, recordOf } from "./support/Answers.js"
import { wrongDays, wrongLatest, wrongNearest, wrongRange } from "./support/phones/Coordinates.js"
import { ground } from "./support/Ground.js"
import { isoOf, textOf, timeOf } from "./support/trace/Happened.js"
import { BAND_M } from "../Specification.js"
import { answerOf, presences, whereabouts } from "./support/phones/Whereabouts.js"

/** Oracles of the contents of answers: where the user is, and coordinates (Spec §4.4, §4.5). */

/** The text of a violation: the answer of the service, and the answers that the oracle considers possible. */
const other = (answer: string, possible: ReadonlySet<string>): string =>
  `the answer is “${readable(answer)}” and may be ${[...possible].map((one) => `“${readable(one)}”`).join(" or ")}`

const readable = (answer: string): string =>
  answer.replaceAll(/\b\d{12,}\b/g, (millis) => isoOf(Number(millis))).replaceAll(" null", "")

const q1: Oracle = {
  name: "Q1",
  rule: "Presence follows from the newest decisive fix within max_age (Spec §4.5, decision L9)",
  check: (run) =>
    answeredTo(run, "GET /v1/answers/places/{place_id}/presence").flatMap((call) => {
      const { body, did, request, status } = call
      const place = ground(run).places.get(request.placeId)
      if (status !== 200 || place === undefined) return []
      if (recordOf(body["place"])?.["id"] !== request.placeId)
        return [{ at: did.end, detail: "it names another place" }]
      const answer = answerOf(body["state"], timeOf(body["asOf"]))
      const all = presences(run, call, place.circles.possible(did.begin, did.end), request.maxAgeS)
      return all.has(answer) ? [] : [{ at: did.end, detail: `${request.placeId}: ${other(answer, all)}` }]
    })
}

const q2: Oracle = {
  name: "Q2",
  rule: "The current place is the smallest place around the newest decisive fix within max_age, or elsewhere (Spec §4.5, decision L9)",
  check: (run) =>
    answeredTo(run, "GET /v1/answers/current-place").flatMap((call) => {
      const { body, did, request, status } = call
      if (status !== 200) return []
      const answer = answerOf(body["state"], timeOf(body["asOf"]), textOf(recordOf(body["place"])?.["id"]))
      const all = whereabouts(run, call, request.maxAgeS)
      return all.has(answer) ? [] : [{ at: did.end, detail: other(answer, all) }]
    })
}

const q3: Oracle = {
  name: "Q3",
  rule: "The answer of verify-zone follows from the newest decisive fix within max_age that is accurate to 200 m (Spec §4.5, decisions L9, answers-5)",
  check: (run) =>
    answeredTo(run, "POST /v1/answers/verify-zone").flatMap((call) => {
      const { body, did, request, status } = call
      if (status !== 200) return []
      const { lat, lon, radiusM } = request
      const answer = answerOf(body["state"], timeOf(body["asOf"]))
      const all = presences(run, call, [{ lat, lon, radiusM }], request.maxAgeS, BAND_M)
      return all.has(answer) ? [] : [{ at: did.end, detail: other(answer, all) }]
    })
}

const q4: Oracle = {
  name: "Q4",
  rule: "The latest location is the newest fix, as its phone sent it (Spec §4.4)",
  check: wrongLatest
}

const q5: Oracle = {
  name: "Q5",
  rule: "A range has every fix in it once, oldest first, and days count them (Spec §4.4)",
  check: (run) => [...wrongRange(run), ...wrongDays(run)]
}

const q6: Oracle = {
  name: "Q6",
  rule: "A look-up of coordinates finds the nearest fix, before or after, within its tolerance (Spec §4.4)",
  check: wrongNearest
}

export const answers: ReadonlyArray<Oracle> = [q1, q2, q3, q4, q5, q6]
