package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalRequestsTest {

  private static boolean isLocal(String address, String... header) {
    Map<String, String> headers = new HashMap<>(Map.of("Host", "localhost:8080"));
    for (int i = 0; i < header.length; i += 2) {
      headers.put(header[i], header[i + 1]);
    }
    return LocalRequests.isLocal(address, headers::get);
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.8.9.10", "::1", "0:0:0:0:0:0:0:1"})
  void loopbackAddressesAreOfThisMachine(String address) {
    assertThat(isLocal(address)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"192.168.0.4", "2001:db8::1", "127.example", "1270.0.0.1", ""})
  void otherAddressesAreNot(String address) {
    assertThat(isLocal(address)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "LOCALHOST:80", "127.0.0.1:9000", "[::1]:8080"})
  void namesOfThisMachineAreAccepted(String host) {
    assertThat(isLocal("127.0.0.1", "Host", host)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"shop.example", "localhost.shop.example:80", "", "127.0.0.1.example"})
  void anotherNameThatLeadsToThisMachineIsRefused(String host) {
    assertThat(isLocal("127.0.0.1", "Host", host)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"})
  void requestsThatAProxyPassesOnAreRefused(String header) {
    assertThat(isLocal("127.0.0.1", header, "203.0.113.9")).isFalse();
  }

  @Test
  void aRequestWithoutAnAddressIsRefused() {
    assertThat(LocalRequests.isLocal(null, name -> "localhost")).isFalse();
  }
}
