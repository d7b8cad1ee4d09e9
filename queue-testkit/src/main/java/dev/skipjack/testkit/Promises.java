package dev.skipjack.testkit;

import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.spi.JobStore;
import org.junit.jupiter.api.BeforeEach;

/** A group of tests that is nested in {@link JobStoreContract}, which passes it the store. */
abstract class Promises {

  StoreFixture fixture;
  JobStore store;
  QueueAdmin admin;
  JobReader reader;

  /** Returns the fixture of the current test. */
  abstract StoreFixture given();

  @BeforeEach
  void takeFixture() {
    fixture = given();
    store = fixture.ports.store();
    admin = fixture.ports.admin();
    reader = fixture.ports.reader();
  }
}
