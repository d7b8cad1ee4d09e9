package dev.skipjack.examples.anytable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

@QueueTest
class AddressesTest {

  @Test
  void anAddressThatWentToAnotherClientCannotBeRenewed(QueueDatabase empty) {
    Story story = new Story();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      Addresses.run(database.dataSource(), story.out);
    }

    assertThat(story.lines())
        .containsExactly(
            "assigned 10.0.0.1 and 10.0.0.2",
            "a third client gets no address",
            "renewed: true",
            "after the first lease has expired, it gets 10.0.0.1",
            "the first client renews: false",
            "returned and assigned again: 10.0.0.2");
  }

  /** Counts every assignment, to check that no client gets an address while another has it. */
  @Test
  void noAddressIsAssignedTwiceAtATime(QueueDatabase empty) throws Exception {
    Set<String> inUse = ConcurrentHashMap.newKeySet();
    AtomicInteger assigned = new AtomicInteger();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      Addresses pool = new Addresses(database.dataSource());
      pool.create(4);
      Crowd.run(
          client -> {
            for (int i = 0; i < 50; i++) {
              pool.assign(Duration.ofHours(1))
                  .ifPresent(
                      address -> {
                        assertThat(inUse.add(Addresses.ip(address))).isTrue();
                        assigned.incrementAndGet();
                        assertThat(pool.renew(address, Duration.ofHours(1))).isTrue();
                        inUse.remove(Addresses.ip(address));
                        pool.giveUp(address);
                      });
            }
          });

      assertThat(assigned.get()).isGreaterThan(4);
      for (int i = 0; i < 4; i++) {
        assertThat(inUse.add(Addresses.ip(pool.assign(Duration.ofHours(1)).orElseThrow())))
            .isTrue();
      }
      assertThat(pool.assign(Duration.ofHours(1))).isEmpty();
    }
  }
}
