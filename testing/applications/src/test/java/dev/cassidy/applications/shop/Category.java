package dev.cassidy.applications.shop;

record Category(String categoryCode, String name, short sortOrder) {}
