import { type ConnectionView, getConnection } from "@place-access/domain/connection"
import { listSubscriptions, type Receiver, removeSubscription } from "@place-access/domain/legacy"
import { ConnectionId, SubscriptionId } from "@place-access/domain/shared"
import { Effect } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as Removal from "../kit/Removal.js"
import * as Routes from "../kit/Routes.js"
import { time } from "../kit/Time.js"
import * as Visitor from "../kit/Visitor.js"

const words = texts.portal.connection.addresses

/** The connection's subscriptions, for `section`. */
export const list = ({ account }: Visitor.Visitor, id: ConnectionId) => listSubscriptions(account.id, id)

/**
 * The part of a connection's page with the addresses that the app named for notifications (decision legacy-7). The page
 * shows the host only: path and query can contain keys of the app. False when the app named no address.
 */
export const section = (
  portal: string,
  { app, id }: ConnectionView.UserConnection,
  subscriptions: ReadonlyArray<Receiver.Subscription>,
  token: string
): Html | false =>
  subscriptions.length > 0 &&
  html`<section class="card" aria-labelledby="addresses">
    <h2 id="addresses">${words.heading}</h2>
    <p>${words.lead(app.name)}</p>
    <ul class="plain choices">
      ${subscriptions.map((one) => {
        const named = `address-${one.id}`
        return html`<li class="choice">
          <div>
            <p id="${named}">${words.since(html`<code>${new URL(one.url).host}</code>`, time(one.createdAt))}</p>
            ${Removal.form({
              action: `${portal}/connections/${id}/subscriptions/${one.id}/remove`,
              token,
              named,
              button: words.remove,
              consequence: words.removed(app.name)
            })}
          </div>
        </li>`
      })}
    </ul>
  </section>`

const remove = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      const userId = visitor.account.id
      const { id } = yield* getConnection(userId, yield* param("connection", ConnectionId, "connection"))
      const subscription = yield* param("subscription", SubscriptionId, "subscription")
      yield* Removal.once("subscription", removeSubscription({ userId, id }, subscription))
      return seeOther(`${portal}/connections/${id}?done=subscription-removed`)
    })
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  return [Routes.post(`${portal}/connections/:connection/subscriptions/:subscription/remove`, remove(portal))]
}
