package dev.skipjack.spring.test.shop;

record SendWelcome(String user) {}
