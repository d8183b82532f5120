// What an upload of a person changes for the next upload of the person in the same commit (decision fixes-10).
import type { RuleProgress } from "../rules/LiveRule.js"
import * as RecentEvaluations from "../rules/RecentEvaluations.js"
import * as Fix from "./Fix.js"
import type { StoredUpload, UploadingDevice, UploadView } from "./FixStore.js"

/**
 * The view that the next upload would read if `upload` and `states` were committed on `view`, but with the version of
 * `view`, because the uploads are committed together. The upload has no quarantined reading or report: in a commit, no
 * other upload follows an upload with a quarantined entry.
 */
export const of = (view: UploadView, upload: StoredUpload, states: ReadonlyArray<RuleProgress>): UploadView => {
  const stateOf = new Map(states.map(({ ruleId, state }) => [ruleId, state]))
  const known = new Set(view.known.get(upload.deviceId))
  for (const fix of upload.fixes) known.add(Fix.key(fix))
  return {
    ...view,
    known: new Map(view.known).set(upload.deviceId, known),
    rules: view.rules.map((live) => ({ ...live, state: stateOf.get(live.rule.id) ?? live.state })),
    devices: view.devices.map((device) => (device.id === upload.deviceId ? deviceAfter(device, upload) : device))
  }
}

const deviceAfter = (
  device: UploadingDevice,
  { movement, receivedAt }: Pick<StoredUpload, "movement" | "receivedAt">
): UploadingDevice => ({
  ...device,
  lastSeenAt: later(device.lastSeenAt, receivedAt),
  movement: movement ?? device.movement
})

const later = (before: UploadingDevice["lastSeenAt"], at: StoredUpload["receivedAt"]): StoredUpload["receivedAt"] =>
  before !== null && before > at ? before : at

/** The states of rules after two evaluations, one after the other. */
export const followed = (
  before: ReadonlyArray<RuleProgress>,
  after: ReadonlyArray<RuleProgress>
): ReadonlyArray<RuleProgress> => {
  const states = new Map(before.map((one) => [one.ruleId, one]))
  for (const one of after) {
    const earlier = states.get(one.ruleId)?.made ?? RecentEvaluations.none
    states.set(one.ruleId, { ...one, made: RecentEvaluations.append(earlier, one.made) })
  }
  return [...states.values()]
}
