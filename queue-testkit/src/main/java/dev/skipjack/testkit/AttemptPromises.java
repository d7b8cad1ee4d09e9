package dev.skipjack.testkit;

import dev.skipjack.api.spi.JobStore;
import org.junit.jupiter.api.BeforeEach;

/** Like {@link Promises}, for those that {@link AttemptContract} nests too. */
abstract class AttemptPromises {

  AttemptFixture fixture;
  JobStore store;

  /** The fixture of the test that runs. */
  abstract AttemptFixture given();

  @BeforeEach
  void takeFixture() {
    fixture = given();
    store = fixture.store();
  }
}
