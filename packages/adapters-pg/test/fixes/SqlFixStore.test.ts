import { fixStoreContract } from "@place-access/domain/testing"
import { runContract } from "../support/contracts.js"
import { UploadStores } from "../support/uploadStores.js"

runContract("SqlFixStore", fixStoreContract, UploadStores)
