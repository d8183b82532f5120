import { Effect, Layer } from "effect"
import { HttpOptions, type ServiceOptions } from "../HttpOptions.js"
import * as AdminApps from "./admin/apps.js"
import * as Authorize from "./consent/authorize.js"
import * as Mailbox from "./dev/mailbox.js"
import * as DeveloperApp from "./developer/app.js"
import * as DeveloperApps from "./developer/apps.js"
import * as DeveloperPurposes from "./developer/purposes.js"
import * as GrantRules from "./developer/grantRules.js"
import * as Deliveries from "./developer/deliveries.js"
import * as DeveloperDelivery from "./developer/delivery.js"
import * as Users from "./developer/users.js"
import * as DeveloperWebhook from "./developer/webhook.js"
import * as Webhooks from "./developer/webhooks.js"
import * as Docs from "./docs/index.js"
import * as Home from "./home.js"
import * as Assets from "./kit/Assets.js"
import * as Routes from "./kit/Routes.js"
import * as Shortcuts from "./kit/Shortcuts.js"
import * as AccessLog from "./portal/accessLog.js"
import * as Connection from "./portal/connection.js"
import * as Connections from "./portal/connections.js"
import * as Devices from "./portal/devices.js"
import * as ChangePassword from "./portal/changePassword.js"
import * as DeleteAccount from "./portal/deleteAccount.js"
import * as Sessions from "./portal/sessions.js"
import * as Settings from "./portal/settings.js"
import * as Imports from "./portal/imports.js"
import * as Places from "./portal/places.js"
import * as PortalRule from "./portal/rule.js"
import * as ReviewDecision from "./review/decision.js"
import * as ReviewQueue from "./review/queue.js"
import * as ResetPassword from "./resetPassword.js"
import * as SignIn from "./signIn.js"
import * as WellKnown from "./wellKnown.js"

/**
 * The routes of every page and every form. The paths of the consent pages and the portal follow their configured
 * addresses.
 */
export const routes = (options: ServiceOptions) => [
  ...Home.routes,
  ...Docs.routes(options),
  ...SignIn.routes,
  ...ResetPassword.routes,
  ...Authorize.routes(options),
  ...Connections.routes(options),
  ...Connection.routes(options),
  ...PortalRule.routes(options),
  ...Places.routes(options),
  ...Devices.routes(options),
  ...Imports.routes(options),
  ...AccessLog.routes(options),
  ...Settings.routes(options),
  ...Sessions.routes(options),
  ...ChangePassword.routes(options),
  ...DeleteAccount.routes(options),
  ...DeveloperApps.routes,
  ...DeveloperApp.routes,
  ...DeveloperPurposes.routes,
  ...Users.routes,
  ...GrantRules.routes,
  ...Webhooks.routes,
  ...DeveloperWebhook.routes,
  ...Deliveries.routes,
  ...DeveloperDelivery.routes,
  ...ReviewQueue.routes,
  ...ReviewDecision.routes,
  ...AdminApps.routes,
  ...Mailbox.routes(options)
]

export const layer = Layer.unwrapEffect(
  Effect.map(HttpOptions, (options) => {
    const pages = routes(options)
    return Layer.mergeAll(
      Routes.layer(pages),
      Routes.layer(Shortcuts.routes(pages)),
      Routes.layer(Assets.routes),
      Routes.layer(WellKnown.routes(options))
    )
  })
)
