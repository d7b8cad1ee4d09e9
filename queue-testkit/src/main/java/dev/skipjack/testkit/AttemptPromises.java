package dev.skipjack.testkit;

import dev.skipjack.api.spi.JobStore;
import org.junit.jupiter.api.BeforeEach;

/**
 * A group of tests that is nested in {@link AttemptContract} as well as in {@link
 * JobStoreContract}.
 */
abstract class AttemptPromises {

  AttemptFixture fixture;
  JobStore store;

  /** Returns the fixture of the current test. */
  abstract AttemptFixture given();

  @BeforeEach
  void takeFixture() {
    fixture = given();
    store = fixture.store();
  }
}
