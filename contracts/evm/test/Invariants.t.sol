// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Test} from "forge-std/Test.sol";
import {World} from "./invariants/World.sol";

/// @dev After every call of a random world, the money adds up and nobody got what is not theirs.
contract InvariantsTest is Test {
    World private world;

    function setUp() public {
        world = new World();
        bytes4[] memory selectors = new bytes4[](17);
        selectors[0] = world.paySingle.selector;
        selectors[1] = world.payPermit.selector;
        selectors[2] = world.payInPerson.selector;
        selectors[3] = world.payBatch.selector;
        selectors[4] = world.strand.selector;
        selectors[5] = world.settleStranded.selector;
        selectors[6] = world.returnStranded.selector;
        selectors[7] = world.sendBare.selector;
        selectors[8] = world.returnBare.selector;
        selectors[9] = world.abuseOperator.selector;
        selectors[10] = world.block_.selector;
        selectors[11] = world.withdraw.selector;
        selectors[12] = world.newPayout.selector;
        selectors[13] = world.retirePayout.selector;
        selectors[14] = world.wait.selector;
        selectors[15] = world.payBatch.selector;
        selectors[16] = world.switchToken.selector;
        targetContract(address(world));
        targetSelector(FuzzSelector(address(world), selectors));
    }

    function invariant_theMoneyAddsUp() public view {
        uint256 unsettled = world.stranded() + world.bare();
        assertEq(world.heldByProcessor(), world.totalOwed() + unsettled, "balance = owed + stranded");
        assertEq(world.totalOwed(), world.sumOwed(), "owed is the sum of what each is owed");
        assertEq(
            world.heldByRecipients(),
            world.settledSum() + world.receivedSum(),
            "merchant + splits + fee = settled, to the unit"
        );
        assertEq(
            world.minted() - world.heldByPayers(),
            world.heldByRecipients() + unsettled,
            "payer out = merchant + splits + fee + refund"
        );
        assertLe(world.mostSettlementsOfAnIntent(), 1, "no intent settles twice");
        assertLe(world.mostPaymentsOfAnAuthorization(), 1, "no authorization pays two intents");
        assertEq(world.transfersToStrangers(), 0, "nothing goes to an unregistered address");
    }

    /// @dev A world in which nothing succeeds would keep every promise.
    function afterInvariant() public view {
        if (world.calls() >= 90) assertGt(world.settledSum(), 0, "the world did nothing");
    }
}
