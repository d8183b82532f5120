import { AccountStore } from "@place-access/domain/accounts"
import { AppLife, AppStore } from "@place-access/domain/apps"
import {
  createEndpoint,
  endPreviousSecrets,
  EndpointHeader,
  EndpointUrl,
  listEndpoints,
  removeEndpoint,
  replaceSecret,
  rotateSecret,
  SigningSecret,
  updateEndpoint,
  WebhookEndpoint,
  WebhookSender
} from "@place-access/domain/endpoints"
import { sendTest } from "@place-access/domain/deliveries"
import { type AppId, EndpointId, Timestamp, Vault } from "@place-access/domain/shared"
import { Fixtures, MemoryDatabase, MemoryWebhookSender } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, FastCheck as fc } from "effect"
import {
  attempts,
  deliveries,
  endpointNow,
  fire,
  inVirtualTime,
  register,
  scene,
  script,
  URL,
  withWorker
} from "../support/webhooks.js"

const { answers, hangs, ourFault, Receivers, refuses, sign } = MemoryWebhookSender
const posts = Effect.flatMap(Receivers, (receivers) => receivers.posts())

/** The tag of the error with which a program fails; "done" when the program succeeds. */
const refusal = <A, E extends { readonly _tag: string }, R>(program: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.either(program), (outcome) => (Either.isLeft(outcome) ? outcome.left._tag : "done"))

const v1 = (headers: ReadonlyArray<readonly [string, string]> | undefined) =>
  [...(new Map(headers).get("X-Service-Signature") ?? "").matchAll(/v1=([0-9a-f]{64})/g)].map((match) => match[1])

const input = { url: URL, events: [], description: null }

describe("createEndpoint [§4.7]", () => {
  it("tells the secret once; it is stored sealed [W1]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app, developer, endpoint, secret } = yield* scene
        expect(secret).toMatch(/^whsec_[0-9a-z]{52}$/)
        const listed = yield* listEndpoints(developer, app.id)
        expect(listed).toEqual([endpoint])
        expect(JSON.stringify(listed)).not.toContain(secret)
        const vault = yield* Vault.Vault
        const context = SigningSecret.sealContext(app.id, endpoint.id)
        expect(yield* vault.unseal(endpoint.secrets[0]!.sealed, context)).toBe(secret)
      })
    )
  })

  it("keeps the address as it was given, and each event once in catalogue order [endpoints-1]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app } = yield* scene
        const { endpoint } = yield* register(app.id, {
          url: "https://Hooks.Example.com:443/%7Ea?b#",
          events: ["sensitive.removed", "rule.fired", "sensitive.removed"]
        })
        expect(endpoint.url).toBe("https://Hooks.Example.com:443/%7Ea?b#")
        expect(endpoint.events).toEqual(["rule.fired", "sensitive.removed"])
      })
    )
  })

  it("refuses an address that may not be registered, by field and reason", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app, developer } = yield* scene
        const outcome = yield* Effect.either(createEndpoint(developer, app.id, { ...input, url: "http://x.example" }))
        expect(outcome).toMatchObject({
          _tag: "Left",
          left: { _tag: "Invalid", problems: [{ field: "url", message: "must begin with https://" }] }
        })
      })
    )
  })

  it("the sixth is a conflict; after one is removed there is room again", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app, developer, endpoint } = yield* scene
        for (let made = 1; made < WebhookEndpoint.MAX_PER_APP; made++) yield* register(app.id)
        expect(yield* refusal(createEndpoint(developer, app.id, input))).toBe("Conflict")
        yield* removeEndpoint(developer, app.id, endpoint.id)
        expect(yield* refusal(createEndpoint(developer, app.id, input))).toBe("done")
      })
    )
  })
})

describe("an endpoint of a revoked app [apps-2]", () => {
  it("is not added or changed, and gets no new secret; it can be read, tested and removed", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app, developer, endpoint } = yield* scene
        yield* script(answers(200))
        const revokedAt = yield* Timestamp.now
        yield* (yield* AppStore).update(app.id, (before) => ({
          outcome: 0,
          after: { ...before, app: { ...before.app, revokedAt } }
        }))
        const refusals = yield* Effect.all([
          Effect.flip(createEndpoint(developer, app.id, input)),
          Effect.flip(updateEndpoint(developer, app.id, endpoint.id, { url: `${URL}/2` }, "unchecked")),
          Effect.flip(updateEndpoint(developer, app.id, endpoint.id, { enabled: true }, "unchecked")),
          Effect.flip(rotateSecret(developer, app.id, endpoint.id)),
          Effect.flip(replaceSecret(developer, app.id, endpoint.id))
        ])
        for (const refused of refusals) expect(refused).toMatchObject({ _tag: "Conflict", reason: AppLife.REVOKED })
        expect(yield* listEndpoints(developer, app.id)).toEqual([endpoint])
        expect(yield* sendTest(developer, app.id, endpoint.id)).toMatchObject({ delivered: true })
        yield* endPreviousSecrets(developer, app.id, endpoint.id)
        yield* removeEndpoint(developer, app.id, endpoint.id)
        expect(yield* listEndpoints(developer, app.id)).toEqual([])
      })
    )
  })
})

describe("only the app's owner", () => {
  it("sees, makes, changes, tests or removes its endpoints; others get the answer that there is no such app [endpoints-9]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app, endpoint } = yield* scene
        yield* script(answers(200))
        const stranger = yield* Fixtures.user
        const outcomes = yield* Effect.all([
          refusal(listEndpoints(stranger, app.id)),
          refusal(createEndpoint(stranger, app.id, input)),
          refusal(updateEndpoint(stranger, app.id, endpoint.id, { enabled: true }, "unchecked")),
          refusal(rotateSecret(stranger, app.id, endpoint.id)),
          refusal(sendTest(stranger, app.id, endpoint.id)),
          refusal(removeEndpoint(stranger, app.id, endpoint.id))
        ])
        expect(new Set(outcomes)).toEqual(new Set(["NotFound"]))
        expect(yield* posts).toEqual([])
        expect(yield* endpointNow({ endpoint })).toEqual(endpoint)
      })
    )
  })

  it("an endpoint of another app of the same owner is not found under this one", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { developer, endpoint } = yield* scene
        const other = yield* Fixtures.app(developer.id)
        const of = (appId: AppId, id = endpoint.id) => [
          refusal(updateEndpoint(developer, appId, id, { description: null }, "unchecked")),
          refusal(rotateSecret(developer, appId, id)),
          refusal(sendTest(developer, appId, id)),
          refusal(removeEndpoint(developer, appId, id))
        ]
        const unknown = EndpointId.make("ep_unknown")
        const outcomes = yield* Effect.all([...of(other.id), ...of(endpoint.appId, unknown)])
        expect(new Set(outcomes)).toEqual(new Set(["NotFound"]))
        expect(yield* (yield* AccountStore).find(developer.id)).toMatchObject({ _tag: "Some" })
      })
    )
  })
})

describe("updateEndpoint", () => {
  it("changes what it names and leaves the rest", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app, developer, endpoint } = yield* scene
        const description = WebhookEndpoint.EndpointDescription.make("staging")
        const url = EndpointUrl.EndpointUrl.make(`${URL}/moved`)
        expect(yield* updateEndpoint(developer, app.id, endpoint.id, { description }, "unchecked")).toEqual({
          ...endpoint,
          description
        })
        expect(
          yield* updateEndpoint(developer, app.id, endpoint.id, { url, events: ["rule.fired"] }, "unchecked")
        ).toEqual({
          ...endpoint,
          description,
          url,
          events: ["rule.fired"]
        })
        const cleared = yield* updateEndpoint(
          developer,
          app.id,
          endpoint.id,
          { description: null, events: [] },
          "unchecked"
        )
        expect(cleared).toEqual({ ...endpoint, url })
        expect(yield* updateEndpoint(developer, app.id, endpoint.id, {}, "unchecked")).toEqual(cleared)
      })
    )
  })

  it("a refused address changes nothing", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app, developer, endpoint } = yield* scene
        const edit = { url: "https://private.example/", events: ["rule.fired"] } as const
        expect(yield* refusal(updateEndpoint(developer, app.id, endpoint.id, edit, "unchecked"))).toBe("Invalid")
        expect(yield* endpointNow({ endpoint })).toEqual(endpoint)
      })
    )
  })

  it("looks up an address only when it changes [endpoints-1]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app, developer, endpoint } = yield* scene
        const sender = yield* WebhookSender
        const edit = { url: endpoint.url, events: ["rule.fired"] } as const
        const changed = yield* updateEndpoint(developer, app.id, endpoint.id, edit, "unchecked").pipe(
          Effect.provideService(WebhookSender, { ...sender, checkUrl: () => Effect.dieMessage("looked up") })
        )
        expect(changed).toEqual({ ...endpoint, events: ["rule.fired"] })
      })
    )
  })

  it("enabling forgets the strikes and keeps the epoch; enabling what is enabled changes nothing [§3.4-enable]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app, developer, endpoint } = yield* scene
        const { endpoints } = yield* MemoryDatabase
        const now = yield* Timestamp.now
        endpoints.set(endpoint.id, { ...endpoint, strikes: 20, disabledAt: now, epoch: 1 })
        const enabled = yield* updateEndpoint(developer, app.id, endpoint.id, { enabled: true }, "unchecked")
        expect(enabled).toEqual({ ...endpoint, epoch: 1 })
        endpoints.set(endpoint.id, { ...endpoint, strikes: 7 })
        expect(yield* updateEndpoint(developer, app.id, endpoint.id, { enabled: true }, "unchecked")).toMatchObject({
          strikes: 7
        })
      })
    )
  })
})

describe("rotateSecret [§4.7, §6.4.3]", () => {
  it("deliveries carry one v1 per valid secret for 24 hours, then the new one's alone [§6.4.3, §8-overlap]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const { app, developer, endpoint, secret: old } = stage
        yield* script(answers(200))
        yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage)
            yield* Effect.sleep("1 second")
            const { secret } = yield* rotateSecret(developer, app.id, endpoint.id)
            expect(secret).not.toBe(old)
            yield* fire(stage)
            yield* Effect.sleep(Timestamp.DAY - 1)
            yield* fire(stage)
            yield* Effect.sleep(1)
            yield* fire(stage)
            yield* Effect.sleep("1 second")
            const signers = (yield* posts).map(({ at, body, headers }) => {
              const message = `${Math.floor(at / 1_000)}.${body}`
              const names = new Map([
                [sign(old, message), "old"],
                [sign(secret, message), "new"]
              ])
              return v1(headers).map((hex) => names.get(hex ?? ""))
            })
            expect(signers).toEqual([["old"], ["new", "old"], ["new", "old"], ["new"]])
          })
        )
      })
    )
  })

  it("rotating again within the day keeps the first one's promise [endpoints-5]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app, developer, endpoint } = yield* scene
        yield* rotateSecret(developer, app.id, endpoint.id)
        yield* Effect.sleep("1 hour")
        const { endpoint: rotated } = yield* rotateSecret(developer, app.id, endpoint.id)
        const start = endpoint.createdAt
        expect(rotated.secrets.map(({ expiresAt }) => expiresAt)).toEqual([
          null,
          start + 25 * Timestamp.HOUR,
          start + 24 * Timestamp.HOUR
        ])
      })
    )
  })

  it("for any series of rotations: one newest that does not expire, each other a day from its own rotation, at most 8 [§6.4.3]", () => {
    const T0 = Timestamp.make(0)
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(0, 1, 3_600_000, 43_200_000, 86_399_999, 86_400_000), { maxLength: 20 }),
        (gaps) => {
          let now = T0
          const rotatedAt: Array<number> = []
          let secrets: ReadonlyArray<SigningSecret.SigningSecret> = [
            { sealed: Vault.Sealed.make("0"), createdAt: T0, expiresAt: null }
          ]
          gaps.forEach((gap, index) => {
            now = Timestamp.plus(now, gap)
            rotatedAt.push(now)
            secrets = SigningSecret.rotate(secrets, Vault.Sealed.make(String(index + 1)), now)
          })
          const live = SigningSecret.live(secrets, now).map(({ sealed }) => Number(sealed))
          // Secret 0 is the first secret, and rotation n makes secret n. `rotatedAt[0]` is the time of rotation 1.
          const expected = [...Array.from({ length: gaps.length + 1 }).keys()]
            .filter((index) => index === gaps.length || now < (rotatedAt[index] ?? 0) + 86_400_000)
            .toReversed()
            .slice(0, 8)
          expect(live).toEqual(expected)
        }
      )
    )
  })
})

describe("sendTest [§4.7, W6]", () => {
  it("posts a signed ping now and says that it arrived [§6.1-ping]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app, developer, endpoint, secret } = yield* scene
        yield* script(answers(204, "thanks"))
        const result = yield* sendTest(developer, app.id, endpoint.id)
        expect(result).toEqual({ delivered: true, status: 204, detail: "The receiver answered 204." })
        const [post] = yield* posts
        const body = JSON.parse(post?.body ?? "")
        expect(body).toEqual({
          event_id: expect.stringMatching(/^evt_/),
          app_id: app.id,
          endpoint_id: endpoint.id,
          type: "ping",
          occurred_at: "2026-01-01T00:00:00.000Z"
        })
        expect(v1(post?.headers)).toEqual([sign(secret, `${Math.floor((post?.at ?? 0) / 1_000)}.${post?.body}`)])
      })
    )
  })

  it.each([
    ["an answer other than 2xx", answers(301), 301, "The receiver answered 301; only 2xx counts as delivered.", 0],
    ["no connection", refuses, null, "connection refused", 0],
    ["no answer", hangs, null, "no complete answer within 5 s", 5_000],
    ["a fault of our own", ourFault, null, "Not sent, and not the receiver's fault: name look-up is not working", 0]
  ])("%s is told in words, within the 5 s", (_, behaviour, status, detail, tookMs) => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app, developer, endpoint } = yield* scene
        yield* script(behaviour)
        const before = yield* Timestamp.now
        expect(yield* sendTest(developer, app.id, endpoint.id)).toEqual({ delivered: false, status, detail })
        expect((yield* Timestamp.now) - before).toBe(tookMs)
      })
    )
  })

  it("is logged as a test, is not tried again and never counts, whatever comes of it", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app, developer, endpoint } = yield* scene
        const { endpoints, accessLog } = yield* MemoryDatabase
        endpoints.set(endpoint.id, { ...endpoint, strikes: 19 })
        yield* withWorker(
          Effect.gen(function* () {
            yield* script(answers(500))
            yield* sendTest(developer, app.id, endpoint.id)
            yield* script(answers(200))
            yield* sendTest(developer, app.id, endpoint.id)
            yield* Effect.sleep("2 days")
          })
        )
        expect((yield* posts).length).toBe(2)
        expect((yield* deliveries).map(({ isTest, state, attempt, dueAt }) => [isTest, state, attempt, dueAt])).toEqual(
          [
            [true, "failed", 1, null],
            [true, "delivered", 1, null]
          ]
        )
        expect((yield* attempts).map(({ status }) => status)).toEqual([500, 200])
        expect((yield* endpointNow({ endpoint })).strikes).toBe(19)
        expect(accessLog).toEqual([])
      })
    )
  })

  it.each(["our network is down", "a secret cannot be unsealed", "an own header cannot be unsealed"])(
    "when %s, the test is logged as never sent, without an attempt [W3-faults, W6]",
    (fault) => {
      inVirtualTime(
        Effect.gen(function* () {
          const { app, developer, endpoint } = yield* scene
          const { endpoints } = yield* MemoryDatabase
          const other = yield* register(app.id, { url: `${URL}/2` })
          // A value that is encrypted for another endpoint cannot be decrypted for this endpoint.
          const sealed = other.endpoint.secrets[0]!.sealed
          if (fault.includes("secret")) endpoints.set(endpoint.id, { ...endpoint, secrets: other.endpoint.secrets })
          const headers = [{ name: EndpointHeader.HeaderName.make("x-route"), sealed }]
          if (fault.includes("header")) endpoints.set(endpoint.id, { ...endpoint, headers })
          yield* script(fault.includes("network") ? ourFault : answers(200))
          const result = yield* sendTest(developer, app.id, endpoint.id)
          expect(result).toMatchObject({ delivered: false, status: null })
          expect(result.detail).toMatch(/^Not sent, and not the receiver's fault: /)
          expect(yield* deliveries).toMatchObject([{ isTest: true, state: "failed", failReason: "not_sent" }])
          expect(yield* attempts).toEqual([])
          if (!fault.includes("network")) expect(yield* posts).toEqual([])
        })
      )
    }
  )

  it("works on a disabled endpoint, says so, and leaves it disabled [endpoints-8]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const { app, developer, endpoint } = yield* scene
        const { endpoints } = yield* MemoryDatabase
        const disabled = { ...endpoint, disabledAt: endpoint.createdAt, epoch: 1, strikes: 20 }
        endpoints.set(endpoint.id, disabled)
        yield* script(answers(200))
        expect(yield* sendTest(developer, app.id, endpoint.id)).toEqual({
          delivered: true,
          status: 200,
          detail: "The receiver answered 200. The endpoint is disabled: events are not sent there until you enable it."
        })
        yield* script(refuses)
        expect(yield* sendTest(developer, app.id, endpoint.id)).toEqual({
          delivered: false,
          status: null,
          detail: "connection refused. The endpoint is disabled: events are not sent there until you enable it."
        })
        expect(yield* endpointNow({ endpoint })).toEqual(disabled)
      })
    )
  })
})

describe("removeEndpoint", () => {
  it("ends what waits there; nothing is sent any more", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(answers(500))
        yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage)
            yield* Effect.sleep("1 second")
            yield* removeEndpoint(stage.developer, stage.app.id, stage.endpoint.id)
            expect(yield* deliveries).toMatchObject([{ state: "failed", failReason: "endpoint_removed" }])
            yield* fire(stage)
            yield* Effect.sleep("2 days")
            expect((yield* posts).length).toBe(1)
          })
        )
      })
    )
  })
})
