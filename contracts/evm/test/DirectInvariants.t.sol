// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Test} from "forge-std/Test.sol";
import {DirectWorld} from "./invariants/DirectWorld.sol";

/// @dev After every call of a random world: the batch contract holds nothing, and money is where it was signed to.
contract DirectInvariantsTest is Test {
    DirectWorld private world;

    function setUp() public {
        world = new DirectWorld();
        bytes4[] memory selectors = new bytes4[](9);
        selectors[0] = world.settle.selector;
        selectors[1] = world.settle.selector;
        selectors[2] = world.submitDirectly.selector;
        selectors[3] = world.sendBare.selector;
        selectors[4] = world.allow.selector;
        selectors[5] = world.callAnything.selector;
        selectors[6] = world.block_.selector;
        selectors[7] = world.pause.selector;
        selectors[8] = world.wait.selector;
        targetContract(address(world));
        targetSelector(FuzzSelector(address(world), selectors));
    }

    function invariant_moneyIsWhereItWasSignedTo() public view {
        assertEq(world.heldByBatch(), world.bare(), "the batch contract moves no token to itself");
        assertEq(
            world.wrongBalances(), 0, "every used authorization moved its value to its wallet, once, and nothing else"
        );
    }

    /// @dev A world in which nothing succeeds would keep every promise.
    function afterInvariant() public view {
        if (world.calls() >= 60) assertGt(world.paid(), 0, "the world did nothing");
    }
}
