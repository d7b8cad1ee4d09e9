package dev.skipjack.examples.shipping;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.shipping.OrdersExample.Counts;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class OrdersExampleTest {

  @Test
  void everyOrderIsShippedOnceAlthoughARelayCrashes() throws Exception {
    ByteArrayOutputStream output = new ByteArrayOutputStream();

    Counts counts = OrdersExample.run(60, new PrintStream(output, true, UTF_8));

    assertThat(counts.orders()).isEqualTo(54);
    assertThat(counts.rolledBack()).isEqualTo(6);
    assertThat(counts.shipments()).isEqualTo(54);
    assertThat(counts.records()).isEqualTo(counts.events() + counts.duplicates());
    assertThat(counts.duplicates()).as("duplicates of the crash").isPositive();
    assertThat(counts.areRight()).isTrue();
    assertThat(output.toString(UTF_8))
        .contains("relay-1 crashed", "orders shipped", "duplicates dropped");
  }
}
