import { archivePlaceContract, stayStoreContract, visitStoreContract } from "@place-access/domain/testing"
import { runContract } from "../support/contracts.js"
import { VisitStores } from "../support/visitStores.js"

runContract(
  "SqlStayStore, SqlVisitStore, SqlConnectionStore.archivePlace",
  [...stayStoreContract, ...visitStoreContract, ...archivePlaceContract],
  VisitStores
)
