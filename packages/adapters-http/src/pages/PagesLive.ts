import { Effect, Layer } from "effect"
import { HttpOptions } from "../HttpOptions.js"
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
import * as AccessLog from "./portal/accessLog.js"
import * as Connection from "./portal/connection.js"
import * as Connections from "./portal/connections.js"
import * as Devices from "./portal/devices.js"
import * as DeleteAccount from "./portal/deleteAccount.js"
import * as Settings from "./portal/settings.js"
import * as Imports from "./portal/imports.js"
import * as Places from "./portal/places.js"
import * as PortalRule from "./portal/rule.js"
import * as ReviewDecision from "./review/decision.js"
import * as ReviewQueue from "./review/queue.js"
import * as SignIn from "./signIn.js"

/** Every page. The paths below the consent and portal addresses follow their configuration. */
export const layer = Layer.unwrapEffect(
  Effect.map(HttpOptions, (options) =>
    Layer.mergeAll(
      Routes.layer(Home.routes),
      Routes.layer(Docs.routes(options)),
      Routes.layer(SignIn.routes),
      Routes.layer(Assets.routes),
      Routes.layer(Authorize.routes(options)),
      Routes.layer(Connections.routes(options)),
      Routes.layer(Connection.routes(options)),
      Routes.layer(PortalRule.routes(options)),
      Routes.layer(Places.routes(options)),
      Routes.layer(Devices.routes(options)),
      Routes.layer(Imports.routes(options)),
      Routes.layer(AccessLog.routes(options)),
      Routes.layer(Settings.routes(options)),
      Routes.layer(DeleteAccount.routes(options)),
      Routes.layer(DeveloperApps.routes),
      Routes.layer(DeveloperApp.routes),
      Routes.layer(DeveloperPurposes.routes),
      Routes.layer(Users.routes),
      Routes.layer(GrantRules.routes),
      Routes.layer(Webhooks.routes),
      Routes.layer(DeveloperWebhook.routes),
      Routes.layer(Deliveries.routes),
      Routes.layer(DeveloperDelivery.routes),
      Routes.layer(ReviewQueue.routes),
      Routes.layer(ReviewDecision.routes),
      Routes.layer(AdminApps.routes),
      Routes.layer(Mailbox.routes(options))
    )
  )
)
