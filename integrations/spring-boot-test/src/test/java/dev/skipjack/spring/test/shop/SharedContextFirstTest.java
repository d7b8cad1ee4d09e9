package dev.skipjack.spring.test.shop;

class SharedContextFirstTest extends SharedContext {}
