import {
  SqlAccountStore,
  SqlAppStore,
  SqlAuditLog,
  SqlEndpointStore,
  SqlMailOutbox,
  SqlStaffStore,
  SqlTeamStore
} from "@place-access/adapters-pg"
import type { Account } from "@place-access/domain/accounts"
import { type App, AppStore, createApp, registerRedirectUris } from "@place-access/domain/apps"
import { AuditEvent } from "@place-access/domain/audit"
import {
  createEndpoint,
  endPreviousSecrets,
  EndpointStore,
  replaceSecret,
  rotateSecret,
  updateEndpoint
} from "@place-access/domain/endpoints"
import { type Entropy, InvitationId, MemberId, NotFound, type Vault } from "@place-access/domain/shared"
import { AccountChange, StaffStore } from "@place-access/domain/staff"
import { changeMemberRole, TeamLife, TeamStore } from "@place-access/domain/teams"
import { Fixtures, MemoryWebhookSender } from "@place-access/domain/testing"
import { Effect, Layer, Option } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { overlapping } from "../support/overlapping.js"
import { describeServers } from "../support/postgres.js"

const stores = Layer.mergeAll(
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlAuditLog.layer,
  SqlEndpointStore.layer,
  SqlMailOutbox.layer,
  SqlStaffStore.layer,
  SqlTeamStore.layer,
  MemoryWebhookSender.layer
)

type Services = Layer.Layer.Success<typeof stores> | Entropy.Entropy | Vault.Vault

const HOOK = { url: "https://hooks.example.com/places", events: [], description: null }

/** An app with one endpoint, another owner of the app, and the removal of this owner. */
const stage = Effect.gen(function* () {
  const teams = yield* TeamStore
  const [holder, member] = [yield* Fixtures.user, yield* Fixtures.user]
  const app = yield* Fixtures.app(holder.id)
  const { endpoint } = yield* createEndpoint(holder, app.id, HOOK)
  const [id, memberId] = [InvitationId.make(`inv_${app.id}`), MemberId.make(`mbr_${app.id}`)]
  yield* teams.update(app.id, TeamLife.invite(holder, { id, email: member.email, role: "owner", invitee: member }))
  yield* teams.update(app.id, TeamLife.accept(member, id, memberId))
  return { app, endpoint, holder, member, removal: teams.update(app.id, TeamLife.remove(holder.id, memberId)) }
})

type Staged = Effect.Effect.Success<typeof stage>

const suspending = ({ id }: Account.Account) =>
  Effect.map(StaffStore, (staff) => staff.change(id, AccountChange.suspend(AuditEvent.OPERATOR)))

describeServers("a change that waits while its member is removed or its account suspended", (server) => {
  const run = withStores(migratedOn(server), stores)
  /**
   * Runs `next` while the transaction of `first` is open, so that `next` waits for `first`. Returns the answer of
   * `next`.
   */
  const answerAfter = <A, E, R, B, E2, R2>(first: Effect.Effect<A, E, R>, next: Effect.Effect<B, E2, R2>) =>
    Effect.map(overlapping(server, first, next), ([, answer]) => answer)
  const noApp = new NotFound({ what: "app" })

  it("issues no client secret and replaces no redirect URI [teams-1]", () =>
    run(
      Effect.gen(function* () {
        const { app, member, removal } = yield* stage
        const register = registerRedirectUris(member, app.id, app.redirectUris, "assumed", "unchecked")
        expect(yield* answerAfter(removal, Effect.flip(register))).toEqual(noApp)
        const stored = yield* (yield* AppStore).findRegistered(app.id)
        expect(Option.map(stored, ({ secrets }) => secrets)).toEqual(Option.some([]))
      })
    ))

  it("adds and changes no endpoint, and makes and ends no signing secret [teams-1]", () =>
    run(
      Effect.gen(function* () {
        const programs: ReadonlyArray<(staged: Staged) => Effect.Effect<unknown, unknown, Services>> = [
          ({ app, member }) => createEndpoint(member, app.id, HOOK),
          ({ app, endpoint, member }) =>
            updateEndpoint(member, app.id, endpoint.id, { events: ["rule.fired"] }, "unchecked"),
          ({ app, endpoint, member }) => rotateSecret(member, app.id, endpoint.id),
          ({ app, endpoint, member }) => replaceSecret(member, app.id, endpoint.id),
          ({ app, endpoint, member }) => endPreviousSecrets(member, app.id, endpoint.id)
        ]
        for (const program of programs) {
          const staged = yield* stage
          expect(yield* answerAfter(staged.removal, Effect.flip(program(staged)))).toEqual(noApp)
          expect(yield* (yield* EndpointStore).list(staged.app.id)).toEqual([staged.endpoint])
        }
      })
    ))

  it("does nothing for a suspended holder or owner [staff-1, teams-1]", () =>
    run(
      Effect.gen(function* () {
        for (const who of ["holder", "member"] as const) {
          const { app, endpoint, ...people } = yield* stage
          const account = people[who]
          const programs: ReadonlyArray<Effect.Effect<void, unknown, Services>> = [
            changeMemberRole(account, app.id, MemberId.make(`mbr_${app.id}`), "developer"),
            Effect.asVoid(registerRedirectUris(account, app.id, app.redirectUris, "assumed", "unchecked")),
            Effect.asVoid(createEndpoint(account, app.id, HOOK)),
            Effect.asVoid(updateEndpoint(account, app.id, endpoint.id, { events: ["rule.fired"] }, "unchecked"))
          ]
          for (const program of programs) {
            expect(yield* answerAfter(yield* suspending(account), Effect.flip(program))).toEqual(noApp)
            yield* (yield* StaffStore).change(account.id, AccountChange.resume(AuditEvent.OPERATOR))
          }
          expect(yield* (yield* EndpointStore).list(app.id)).toEqual([endpoint])
          const stored = yield* (yield* AppStore).findRegistered(app.id)
          expect(Option.map(stored, ({ secrets }) => secrets)).toEqual(Option.some([]))
        }
      })
    ))

  it("makes no app [staff-1]", () =>
    run(
      Effect.gen(function* () {
        const { app, member } = yield* stage
        const suspension = yield* suspending(member)
        const { description, homepageUrl, name }: App.App = app
        const create = createApp(member, { name, description, homepageUrl, scopes: app.declaredScopes })
        expect(yield* answerAfter(suspension, Effect.flip(create))).toEqual(new NotFound({ what: "account" }))
        const { items } = yield* (yield* AppStore).listOf(member.id, 10, undefined)
        expect(items.map(({ id }) => id)).toEqual([app.id])
      })
    ))
})
