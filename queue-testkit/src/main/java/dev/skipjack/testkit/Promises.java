package dev.skipjack.testkit;

import dev.skipjack.api.JobReader;
import dev.skipjack.api.QueueAdmin;
import dev.skipjack.api.spi.JobStore;
import org.junit.jupiter.api.BeforeEach;

/** A part of {@link JobStoreContract}, which nests it and hands it the store. */
abstract class Promises {

  StoreFixture fixture;
  JobStore store;
  QueueAdmin admin;
  JobReader reader;

  /** The fixture of the test that runs. */
  abstract StoreFixture given();

  @BeforeEach
  void takeFixture() {
    fixture = given();
    store = fixture.ports.store();
    admin = fixture.ports.admin();
    reader = fixture.ports.reader();
  }
}
