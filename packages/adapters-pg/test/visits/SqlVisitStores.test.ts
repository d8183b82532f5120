import { archivePlaceContract, stayStoreContract, visitStoreContract } from "@place-access/domain/testing"
import { anyOrderContract } from "../support/anyOrderContract.js"
import { runContract } from "../support/contracts.js"
import { VisitStores } from "../support/visitStores.js"

runContract(
  "SqlStayStore, SqlVisitStore, SqlConnectionStore.archivePlace",
  [...stayStoreContract, ...visitStoreContract, ...archivePlaceContract, ...anyOrderContract],
  VisitStores
)
