import { ClientSecret } from "@place-access/domain/apps"
import { Timestamp, type Vault } from "@place-access/domain/shared"
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"

const { isLive, MAX_LIVE, OVERLAP, rotate } = ClientSecret

const start = Timestamp.make(0)
const secret = (name: string, createdAt: number): ClientSecret.ClientSecret => ({
  appId: "app_1" as never,
  hash: name as Vault.Hash,
  createdAt: Timestamp.make(createdAt),
  expiresAt: null
})
const names = (secrets: ReadonlyArray<ClientSecret.ClientSecret>) => secrets.map(({ hash }) => hash)

describe("client secrets", () => {
  it("the replaced one works for 24 hours: at 23:59:59.999, not at 24:00:00.000 [decisions §4, apps-7]", () => {
    const [next, old] = rotate([secret("old", 0)], secret("next", 1_000), Timestamp.make(1_000))
    expect(old?.expiresAt).toBe(1_000 + OVERLAP)
    expect(isLive(old!, Timestamp.make(1_000 + OVERLAP - 1))).toBe(true)
    expect(isLive(old!, Timestamp.make(1_000 + OVERLAP))).toBe(false)
    expect(isLive(next!, Timestamp.make(1_000 + 10 * OVERLAP))).toBe(true)
  })

  it("the first has nothing before it", () => {
    expect(rotate([], secret("first", 0), start)).toEqual([secret("first", 0)])
  })

  it("twice in a day: all three work, the oldest no longer than it had [apps-7]", () => {
    const first = rotate([secret("a", 0)], secret("b", 0), start)
    const second = rotate(first, secret("c", 0), Timestamp.make(Timestamp.HOUR))
    expect(second.map(({ hash, expiresAt }) => [hash, expiresAt])).toEqual([
      ["c", null],
      ["b", Timestamp.HOUR + OVERLAP],
      ["a", OVERLAP]
    ])
  })

  it("an expired one is dropped at the next rotation", () => {
    const first = rotate([secret("a", 0)], secret("b", 0), start)
    expect(names(rotate(first, secret("c", 0), Timestamp.make(OVERLAP)))).toEqual(["c", "b"])
    expect(names(rotate(first, secret("c", 0), Timestamp.make(OVERLAP - 1)))).toEqual(["c", "b", "a"])
  })

  it("after any number of rotations: live are exactly the newest and those replaced less than 24 hours ago", () => {
    const pauses = fc.array(fc.constantFrom(0, 1, OVERLAP / 2, OVERLAP - 1, OVERLAP, OVERLAP + 1), { maxLength: 30 })
    fc.assert(
      fc.property(pauses, fc.constantFrom(0, 1, OVERLAP - 1, OVERLAP), (steps, later) => {
        let kept: ReadonlyArray<ClientSecret.ClientSecret> = []
        let at = 0
        const replacedAt: Array<readonly [string, number]> = []
        for (const [index, pause] of steps.entries()) {
          at += pause
          const newest = kept[0]
          if (newest !== undefined) replacedAt.push([newest.hash, at])
          kept = rotate(kept, secret(`s${index}`, at), Timestamp.make(at))
        }
        const now = at + later
        const expected = replacedAt.filter(([, when]) => now - when < OVERLAP).map(([name]) => name)
        if (steps.length > 0) expected.push(`s${steps.length - 1}`)
        const live = kept.filter((one) => isLive(one, Timestamp.make(now)))
        expect(names(live).toReversed()).toEqual(expected)
      })
    )
  })

  it(`at most ${MAX_LIVE} are kept, the newest ones [apps-7]`, () => {
    let kept: ReadonlyArray<ClientSecret.ClientSecret> = []
    for (let count = 0; count < MAX_LIVE + 5; count++) kept = rotate(kept, secret(`s${count}`, 0), start)
    expect(kept).toHaveLength(MAX_LIVE)
    expect(kept[0]?.hash).toBe(`s${MAX_LIVE + 4}`)
  })
})
