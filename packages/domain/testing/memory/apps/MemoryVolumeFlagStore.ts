import { Effect, Layer } from "effect"
import type { AccessLogEntry } from "../../../src/access-log/AccessLogEntry.js"
import type { VolumeFlag } from "../../../src/purposes/VolumeFlag.js"
import { VolumeFlagStore } from "../../../src/purposes/VolumeFlagStore.js"
import * as Page from "../../../src/shared/Page.js"
import { MemoryDatabase } from "../MemoryDatabase.js"

export const layer: Layer.Layer<VolumeFlagStore, never, MemoryDatabase> = Layer.effect(
  VolumeFlagStore,
  Effect.map(MemoryDatabase, ({ accessLog, accounts, purposes, volumeFlags }) => {
    const list = (
      limit: number,
      after: ReadonlyArray<string | number> | undefined,
      isWanted: (flag: VolumeFlag) => boolean
    ) =>
      Effect.sync(() => {
        const rows = volumeFlags
          .filter(isWanted)
          .map((flag) => ({ flag, position: position(flag) }))
          .filter((row) => after === undefined || compare(row.position, after) < 0)
          .sort((a, b) => compare(b.position, a.position))
        const page = Page.of(rows, limit, (last) => last.position)
        return { items: page.items.map(({ flag }) => flag), next: page.next }
      })

    return VolumeFlagStore.of({
      raise: ({ factor, from, to }) =>
        Effect.sync(() => {
          const groups = new Map<string, Array<AccessLogEntry>>()
          for (const entry of accessLog) {
            if (entry.purpose === null || entry.error !== null || entry.at < from || entry.at >= to) continue
            if ((accounts.get(entry.userId)?.account.testOf ?? null) !== null) continue
            const key = `${entry.connectionId} ${entry.purpose}`
            groups.set(key, [...(groups.get(key) ?? []), entry])
          }
          const before = volumeFlags.length
          for (const calls of groups.values()) {
            const [one] = calls
            const purpose = purposes.find(({ appId, key }) => appId === one?.appId && key === one.purpose)
            if (one === undefined || purpose === undefined) continue
            const { expectedDailyVolume } = purpose.approved ?? purpose.terms
            const isKnown = volumeFlags.some(
              (flag) => flag.connectionId === one.connectionId && flag.purposeKey === one.purpose && flag.to > from
            )
            if (calls.length <= factor * expectedDailyVolume || isKnown) continue
            volumeFlags.push({
              userId: one.userId,
              connectionId: one.connectionId,
              appId: one.appId,
              purposeId: purpose.id,
              purposeKey: purpose.key,
              calls: calls.length,
              expectedDailyVolume,
              from,
              to
            })
          }
          return volumeFlags.length - before
        }),
      list: (limit, after) => list(limit, after, () => true),
      listOfUser: (userId, limit, after) => list(limit, after, (flag) => flag.userId === userId)
    })
  })
)

const position = ({ connectionId, purposeKey, to }: VolumeFlag): readonly [number, string, string] => [
  to,
  connectionId,
  purposeKey
]

const compare = (a: ReadonlyArray<string | number>, b: ReadonlyArray<string | number>): number => {
  const at = a.findIndex((value, index) => value !== b[index])
  const [left, right] = [a[at], b[at]]
  return left === undefined || right === undefined ? 0 : left < right ? -1 : 1
}
