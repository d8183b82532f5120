import { fixStoreContract } from "@place-access/domain/testing"
import { runContractPg } from "../support/contracts.js"
import { UploadStores } from "../support/uploadStores.js"

runContractPg("SqlFixStore", fixStoreContract, UploadStores)
