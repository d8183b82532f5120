import { describe, expect, it } from "vitest"
import { tokens } from "../../../testing/simulation/oracles/connection/tokens.js"
import { ok, refused, seen, Story, unavailable, VISITS } from "./handwritten.js"

const SECOND = 1_000
const DAY = 86_400_000
const LEAK = "Diary was disconnected from your places"
const judge = (story: Story, quiesced = false) => seen(tokens, story.run(quiesced))
const invalidGrant = refused("invalid_grant")

describe("T1: access accepted iff it is younger than 3600 s, its family and its tier live", () => {
  it("3,599.999 s old: taken; 3,600 s: refused", () => {
    const s = new Story()
    const { access, appId } = s.connected()
    s.after(3_599_999).call(appId, access, 200)
    s.after(1).call(appId, access, 401)
    expect(judge(s)).toEqual({})
  })

  it("accepted at 3,600 s, refused at 3,599.999 s: both are seen", () => {
    const s = new Story()
    const { access, appId } = s.connected()
    const early = s.after(3_599_999).call(appId, access, 401)
    const late = s.after(1).call(appId, access, 200)
    expect(judge(s)).toEqual({ T1: [early, late] })
  })

  it("the standard tier's end is exclusive", () => {
    const s = new Story()
    const { appId, refresh } = s.connected({ standardDays: 1, tokens: { refreshTokenExpiresAt: s.t + 86_400_000 } })
    const { accessToken } = s.tokens()
    s.after(86_399_999).refresh(appId, refresh, ok({ ...s.tokens({ accessToken, refreshTokenExpiresAt: s.t + 1 }) }))
    s.call(appId, accessToken, 200)
    const late = s.after(1).call(appId, accessToken, 200)
    expect(judge(s)).toEqual({ T1: [late] })
  })

  it("a call that overlaps the disconnection may be answered either way; one after it may not", () => {
    const s = new Story()
    const { access, appId, connectionId, userId } = s.connected()
    const call = s.begin("call", { appId, token: access, request: VISITS })
    const leaving = s.begin("disconnect", { userId, connectionId })
    s.end(leaving, "disconnect", ok(null))
    s.end(call, "call", ok({ status: 401, error: "invalid_token", body: {} }))
    expect(judge(s)).toEqual({})
    const late = s.call(appId, access, 200)
    expect(judge(s)).toEqual({ T1: [late] })
  })

  it("after a disconnection of which nobody knows whether it was done, both answers are fine", () => {
    const s = new Story()
    const { access, appId, connectionId, userId } = s.connected()
    s.op("disconnect", { userId, connectionId }, unavailable)
    s.call(appId, access, 200)
    s.call(appId, access, 401)
    expect(judge(s)).toEqual({})
  })

  it("after the clock was set back over the hour, neither answer is held against anybody", () => {
    const s = new Story()
    const { access, appId } = s.connected()
    const call = s.after(3_700_000).begin("call", { appId, token: access, request: VISITS })
    s.add({ kind: "fault", fault: "clock.jump", detail: "" })
    s.after(-3_600_000).end(call, "call", ok({ status: 200, error: null, body: {} }))
    expect(judge(s)).toEqual({})
  })
})

describe("T2: no raw credential anywhere", () => {
  it("a leak, and a secret as it is in an argument of a port", () => {
    const s = new Story()
    s.connected()
    const leak = s.add({ kind: "leak", alias: "token-1", where: "TokenStore.change" })
    s.add({ kind: "port", op: null, port: "X", method: "y", outcome: "ok", args: { token: "token-1" } })
    const raw = s.add({
      kind: "port",
      op: null,
      port: "X",
      method: "y",
      outcome: "ok",
      args: { token: `pa_rt.con_1.${"x".repeat(43)}` }
    })
    expect(judge(s)).toEqual({ T2: [leak, raw] })
  })
})

describe("T3: one unspent refresh token, and every refresh rotates", () => {
  it("a race is given the head; the head's head after it was spent as well", () => {
    const s = new Story()
    const { appId, refresh } = s.connected()
    const second = s.tokens()
    s.refresh(appId, refresh, ok(second))
    s.refresh(appId, refresh, ok({ ...s.tokens(), refreshToken: second.refreshToken }))
    const third = s.tokens()
    s.refresh(appId, second.refreshToken, ok(third))
    s.after(30 * SECOND).refresh(appId, refresh, ok({ ...s.tokens(), refreshToken: third.refreshToken }))
    expect(judge(s)).toEqual({})
  })

  it("two children of one token are reported", () => {
    const s = new Story()
    const { appId, refresh } = s.connected()
    s.refresh(appId, refresh, ok(s.tokens()))
    s.refresh(appId, refresh, ok(s.tokens()))
    expect(judge(s)).toEqual({ T3: [s.entries.length - 1] })
  })

  it("after a rotation of which nobody knows, the race may bring the first child that anybody sees", () => {
    const s = new Story()
    const { appId, refresh } = s.connected()
    s.refresh(appId, refresh, unavailable)
    const second = s.tokens()
    s.refresh(appId, refresh, ok(second))
    s.refresh(appId, second.refreshToken, unavailable)
    s.after(20 * SECOND).refresh(appId, refresh, ok(s.tokens()))
    expect(judge(s)).toEqual({})
  })

  it("the presented token came back; an unspent one was refused; a spent one was given", () => {
    const back = new Story()
    const one = back.connected()
    back.refresh(one.appId, one.refresh, ok({ ...back.tokens(), refreshToken: one.refresh }))
    expect(judge(back)).toEqual({ T3: [back.entries.length - 1] })

    const shut = new Story()
    const two = shut.connected()
    shut.after(40 * 86_400 * SECOND).refresh(two.appId, two.refresh, invalidGrant)
    expect(judge(shut)).toEqual({ T3: [shut.entries.length - 1] })

    const stale = new Story()
    const three = stale.connected()
    const second = stale.tokens()
    stale.refresh(three.appId, three.refresh, ok(second))
    stale.refresh(three.appId, second.refreshToken, ok(stale.tokens()))
    stale.refresh(three.appId, three.refresh, ok({ ...stale.tokens(), refreshToken: second.refreshToken }))
    expect(judge(stale)).toEqual({ T3: [stale.entries.length - 1] })
  })
})

describe("T4: a spent refresh token is a race for 30 s, then a leak", () => {
  const leaked = (gap: number, outcome: ReturnType<typeof refused> | "ok", mails: number) => {
    const s = new Story()
    const { access, appId, refresh, userId } = s.connected()
    const second = s.tokens()
    s.add({ kind: "port", op: null, port: "TierStore", method: "sweep", outcome: "ok" }, "worker-1")
    s.refresh(appId, refresh, ok(second))
    s.after(gap).refresh(
      appId,
      refresh,
      outcome === "ok" ? ok({ ...s.tokens(), refreshToken: second.refreshToken }) : outcome
    )
    for (let n = 0; n < mails; n++) {
      s.add({
        kind: "mailed",
        to: `${userId}@example.com`,
        subject: "Diary was disconnected from your places",
        id: `${n}`
      })
    }
    return { s, access, appId }
  }

  it("30,000 ms: the head again; 30,001 ms: refused, everything ended, one e-mail", () => {
    expect(judge(leaked(30_000, "ok", 0).s, true)).toEqual({})
    const { access, appId, s } = leaked(30_001, invalidGrant, 1)
    s.call(appId, access, 401)
    expect(judge(s, true)).toEqual({})
  })

  it("refused after 30,000 ms, accepted after 30,001 ms", () => {
    const race = leaked(30_000, invalidGrant, 0).s
    expect(judge(race)).toEqual({ T4: [race.entries.length - 1] })
    const leak = leaked(30_001, "ok", 0).s
    expect(judge(leak)).toEqual({ T4: [leak.entries.length - 1] })
  })

  it("no e-mail, two e-mails, a token that still works", () => {
    const none = leaked(30_001, invalidGrant, 0).s
    expect(judge(none, true)).toEqual({ T4: [none.entries.length - 1] })
    const two = leaked(30_001, invalidGrant, 2).s
    expect(judge(two, true)).toEqual({ T4: [two.entries.length - 1] })
    const { access, appId, s } = leaked(30_001, invalidGrant, 1)
    const at = s.call(appId, access, 200)
    expect(judge(s, true)).toEqual({ T1: [at], T4: [at] })
  })

  it("an e-mail that names no app stands for the leaks of an hour, and only such a one does", () => {
    const twice = (gap: number, subject: string) => {
      const s = new Story()
      s.add({ kind: "port", op: null, port: "TierStore", method: "sweep", outcome: "ok" }, "worker-1")
      const userId = s.user()
      for (let app = 0; app < 2; app++) {
        const { appId, refresh } = s.connected({ userId })
        s.refresh(appId, refresh, ok(s.tokens()))
        s.after(gap).refresh(appId, refresh, invalidGrant)
      }
      const end = s.add({ kind: "mailed", to: `${userId}@example.com`, subject, id: "1" })
      return [judge(s, true), { T4: [end] }]
    }
    const [forBoth] = twice(30_001, "An app was disconnected from your places")
    expect(forBoth).toEqual({})
    for (const [found, missing] of [
      twice(30_001, "Diary was disconnected from your places"),
      twice(3_600_000, "An app was disconnected from your places")
    ]) {
      expect(found).toEqual(missing)
    }
  })
})

describe("T5: a revoked refresh token fails quietly", () => {
  const renewed = () => {
    const s = new Story()
    const first = s.connected()
    s.refresh(first.appId, first.refresh, ok(s.tokens()))
    const second = s.connected({ ...first, mode: "change" })
    s.after(3_000_000)
    return { s, first, second }
  }

  it("spent long ago and revoked since: invalid_grant, and the new family lives", () => {
    const { first, s, second } = renewed()
    s.refresh(first.appId, first.refresh, invalidGrant)
    s.call(second.appId, second.access, 200)
    expect(judge(s, true)).toEqual({})
  })

  it("accepted; ended the new family; sent an e-mail; refused as something else", () => {
    const { first, s, second } = renewed()
    s.refresh(first.appId, first.refresh, ok(s.tokens()))
    expect(judge(s)["T5"]).toEqual([s.entries.length - 1])

    const killed = renewed()
    killed.s.refresh(first.appId, first.refresh, invalidGrant)
    const at = killed.s.call(second.appId, second.access, 401)
    expect(judge(killed.s)).toEqual({ T1: [at], T5: [at] })

    const mailed = renewed()
    mailed.s.refresh(first.appId, first.refresh, invalidGrant)
    const to = `${first.userId}@example.com`
    const mail = mailed.s.add({ kind: "mailed", to, subject: "Diary was disconnected from your places", id: "1" })
    expect(judge(mailed.s)).toEqual({ T5: [mail] })

    const named = renewed()
    named.s.refresh(first.appId, first.refresh, refused("token_revoked"))
    expect(judge(named.s)).toEqual({ T5: [named.s.entries.length - 1] })
  })

  it("a client that lost the answer with its new secret is refused as a stranger a day later, and not a millisecond before", () => {
    const lost = (age: number, then: (story: Story, appId: string) => void = () => undefined) => {
      const s = new Story()
      const first = s.connected()
      const { appId, refresh } = first
      s.connected({ ...first, mode: "change" })
      s.op("registerRedirectUris", { appId, redirectUris: [] }, unavailable)
      then(s, appId)
      s.after(age)
      s.refresh(appId, refresh, refused("invalid_client"))
      s.op("revoke", { appId, token: refresh, client: "right" }, refused("invalid_client"))
      return Object.keys(judge(s))
    }
    expect(lost(DAY)).toEqual([])
    expect(lost(DAY - 1)).toEqual(["T5", "T8"])
    const learnt = ok({ clientSecret: "client-secret-2" })
    const again = (s: Story, appId: string) => s.op("registerRedirectUris", { appId, redirectUris: [] }, learnt)
    expect(lost(DAY, again)).toEqual(["T5", "T8"])
  })
})

describe("T6: a code is good for less than 60 s, once", () => {
  const consented = (gap: number) => {
    const s = new Story()
    const userId = s.user()
    const appId = s.app(["location.visits.read"])
    const { code } = s.consent({ userId, appId, scopes: ["location.visits.read"] })
    s.after(gap)
    return { s, userId, appId, code, args: { appId, code, verifier: "right", client: "right" } as const }
  }

  it("59,999 ms: exchanged; 60,000 ms: refused; a wrong verifier changes nothing", () => {
    const fresh = consented(59_999)
    fresh.s.op("exchange", { ...fresh.args, verifier: "wrong" }, invalidGrant)
    fresh.s.op("exchange", fresh.args, ok(fresh.s.tokens()))
    expect(judge(fresh.s)).toEqual({})
    const old = consented(60_000)
    old.s.op("exchange", old.args, invalidGrant)
    expect(judge(old.s)).toEqual({})
  })

  it("refused at 59,999 ms, exchanged at 60,000 ms, exchanged with a wrong verifier", () => {
    const fresh = consented(59_999)
    const early = fresh.s.op("exchange", fresh.args, invalidGrant)
    expect(judge(fresh.s)).toEqual({ T6: [early] })
    const old = consented(60_000)
    const late = old.s.op("exchange", old.args, ok(old.s.tokens()))
    expect(judge(old.s)).toEqual({ T6: [late] })
    const wrong = consented(0)
    const at = wrong.s.op("exchange", { ...wrong.args, verifier: "wrong" }, ok(wrong.s.tokens()))
    expect(judge(wrong.s)).toEqual({ T6: [at] })
  })

  it("a wrong redirect URI changes nothing; a code that is exchanged with it is seen", () => {
    const redirected = (outcome: typeof invalidGrant | "ok") => {
      const { args, s } = consented(0)
      const set = outcome === "ok" ? ok(s.tokens()) : outcome
      const at = s.op("exchange", { ...args, redirectUri: "wrong" }, set)
      return { args, at, s }
    }
    const right = redirected(invalidGrant)
    right.s.op("exchange", right.args, ok(right.s.tokens()))
    right.s.op("exchange", { ...right.args, redirectUri: "wrong" }, invalidGrant)
    expect(judge(right.s)).toEqual({})
    const spoiled = redirected(invalidGrant)
    const refusal = spoiled.s.op("exchange", spoiled.args, invalidGrant)
    expect(judge(spoiled.s)).toEqual({ T6: [refusal] })
    const taken = redirected("ok")
    expect(judge(taken.s)).toEqual({ T6: [taken.at] })
  })

  it("a second use with the right verifier ends what it issued, a wrong one does not", () => {
    const { args, appId, s } = consented(0)
    const set = s.exchange(appId, args.code)
    s.op("exchange", { ...args, verifier: "wrong" }, invalidGrant)
    s.call(appId, set.accessToken, 200)
    s.op("exchange", args, invalidGrant)
    s.call(appId, set.accessToken, 401)
    expect(judge(s)).toEqual({})
    const at = s.call(appId, set.accessToken, 200)
    expect(judge(s)).toMatchObject({ T1: [at], T6: [at] })
  })

  it("a use with a wrong verifier that ended the connection, or sent an e-mail about a leak", () => {
    const used = () => {
      const begun = consented(0)
      const { args, appId, s } = begun
      const { accessToken } = s.exchange(appId, args.code)
      s.op("exchange", { ...args, verifier: "wrong" }, invalidGrant)
      return { ...begun, accessToken }
    }
    const ended = used()
    const at = ended.s.call(ended.appId, ended.accessToken, 401)
    expect(judge(ended.s)).toEqual({ T1: [at], T6: [at] })

    const mailed = used()
    const mail = mailed.s.add({ kind: "mailed", to: `${mailed.userId}@example.com`, subject: LEAK, id: "1" })
    expect(judge(mailed.s)).toEqual({ T5: [mail], T6: [mail] })

    // A second use of the code with the right verifier explains why the connection ended and why the user got the
    // e-mail.
    const right = used()
    right.s.op("exchange", right.args, invalidGrant)
    right.s.call(right.appId, right.accessToken, 401)
    right.s.add({ kind: "mailed", to: `${right.userId}@example.com`, subject: LEAK, id: "1" })
    expect(judge(right.s)).toEqual({})
  })

  it("two at once: one of them may win, both may not", () => {
    const both = (second: "ok" | "refused") => {
      const { appId, args, s } = consented(0)
      const a = s.begin("exchange", args)
      const b = s.begin("exchange", args)
      const set = s.tokens()
      s.end(a, "exchange", ok(set))
      s.end(b, "exchange", second === "ok" ? ok(s.tokens()) : invalidGrant)
      if (second === "refused") s.call(appId, set.accessToken, 401)
      return s
    }
    expect(judge(both("refused"))).toEqual({})
    const s = both("ok")
    expect(judge(s)).toEqual({ T6: [s.entries.length - 1] })
  })
})

describe("T7: every 401 is the same", () => {
  it("the 401 of an expired and of a revoked token is the same", () => {
    const s = new Story()
    const { access, appId, connectionId, userId } = s.connected()
    s.after(3_600_000).call(appId, access, 401, undefined, { error: "invalid_token" })
    s.op("disconnect", { userId, connectionId }, ok(null))
    s.call(appId, access, 401, undefined, { error: "invalid_token" })
    expect(judge(s)).toEqual({})
    const at = s.call(appId, access, 401, undefined, { error: "token_revoked" })
    expect(judge(s)).toEqual({ T7: [at] })
  })
})

describe("T8: revoke", () => {
  it("any token is fine, another app's does nothing, the app's own ends the connection", () => {
    const s = new Story()
    const { access, appId } = s.connected()
    const other = s.connected()
    const revoke = (by: string, token: string) => s.op("revoke", { appId: by, token, client: "right" }, ok(null))
    revoke(other.appId, access)
    revoke(appId, "nonsense")
    s.op("revoke", { appId, token: access, client: "wrong" }, refused("invalid_client"))
    s.call(appId, access, 200)
    revoke(appId, access)
    s.call(appId, access, 401)
    revoke(appId, access)
    expect(judge(s)).toEqual({})
    const at = s.call(appId, access, 200)
    expect(judge(s)).toMatchObject({ T1: [at], T8: [at] })
  })

  it("another app's revocation that worked, a refusal, a wrong client that was welcome", () => {
    const s = new Story()
    const { access, appId } = s.connected()
    const other = s.connected()
    s.op("revoke", { appId: other.appId, token: access, client: "right" }, ok(null))
    const dead = s.call(appId, access, 401)
    const no = s.op("revoke", { appId, token: "nonsense", client: "right" }, refused("invalid_token"))
    const yes = s.op("revoke", { appId, token: access, client: "wrong" }, ok(null))
    expect(judge(s)).toEqual({ T1: [dead], T8: [no, yes, dead] })
  })
})
